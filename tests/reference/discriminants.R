# Reference numbers for the discriminants.  From the project root:
#   Rscript tests/reference/discriminants.R > tests/reference/discriminants.json

suppressPackageStartupMessages({
  library(MASS); library(mda); library(mlbench)
})
source("tests/reference/json.R")

SHOWN <- 10  # rows whose posteriors are given: those that lda is least sure of

# Of a fit with CV = TRUE, which keeps the priors when it leaves a row out.
left_out <- function(fit, rows) {
  stopifnot(all(is.finite(fit$posterior)))
  list(class = as.integer(fit$class) - 1L, posterior = unname(fit$posterior[rows, ]))
}

linear <- function(X, y, prior, method, rows) {
  fit <- lda(X, y, prior = prior, method = method, tol = 1e-8)
  p <- predict(fit, X)
  list(
    prior = unname(fit$prior), means = unname(fit$means), scaling = unname(fit$scaling), svd = fit$svd,
    class = as.integer(p$class) - 1L, posterior = unname(p$posterior[rows, ]), x = unname(p$x[rows, , drop = FALSE]),
    left_out = left_out(lda(X, y, prior = prior, method = method, tol = 1e-8, CV = TRUE), rows)
  )
}

quadratic <- function(X, y, prior, method, rows) {
  fit <- qda(X, y, prior = prior, method = method)
  p <- predict(fit, X)
  list(
    prior = unname(fit$prior), means = unname(fit$means), ldet = unname(fit$ldet),
    class = as.integer(p$class) - 1L, posterior = unname(p$posterior[rows, ]),
    left_out = left_out(qda(X, y, prior = prior, method = method, CV = TRUE), rows)
  )
}

flexible <- function(X, y, rows) {
  data <- data.frame(y = y, X)
  fit <- fda(y ~ ., data = data)
  new <- data[rows, ]
  list(
    percent_explained = unname(fit$percent.explained), values = unname(fit$values), prior = unname(c(fit$prior)),
    variates = unname(predict(fit, new, type = "variates")),
    class = as.integer(predict(fit, data)) - 1L,
    posterior = unname(predict(fit, new, type = "posterior"))
  )
}

# y: a factor without empty levels; given: priors to compare with the shares.
case <- function(X, y, given) {
  X <- as.matrix(X)
  shares <- as.vector(table(y)) / length(y)
  p <- predict(lda(X, y, tol = 1e-8), X)$posterior
  rows <- sort(head(order(apply(p, 1, max)), SHOWN))
  fits <- function(model) sapply(c(moment = "moment", mle = "mle"), simplify = FALSE, function(method) {
    list(shares = model(X, y, shares, method, rows), given = model(X, y, given, method, rows))
  })
  list(
    columns = colnames(X), classes = levels(y), X = unname(X), y = as.integer(y) - 1L, given = given, rows = rows - 1L,
    lda = fits(linear), qda = fits(quadratic), fda = flexible(X, y, rows)
  )
}

data(Vehicle)
set.seed(20)
offset <- as.data.frame(round(matrix(rnorm(180), 60), 4))
offset <- offset + outer(rep(c(0, 0.5, 1), each = 20), c(1, -1, 0.5)) + rep(c(1000, -2000, 5), each = 60)
names(offset) <- c("a", "b", "c")

iris_case <- case(iris[1:4], iris$Species, c(0.5, 0.3, 0.2))
two_classes <- case(crabs[4:8], crabs$sp, c(0.2, 0.8))
crabs_case <- case(crabs[4:8], interaction(crabs$sp, crabs$sex), c(0.1, 0.2, 0.3, 0.4))
every_third <- Vehicle[seq(1, nrow(Vehicle), 3), ]
vehicle <- case(every_third[1:18], every_third$Class, c(0.4, 0.1, 0.2, 0.3))
offset_case <- case(offset, factor(rep(c("p", "q", "r"), each = 20)), c(0.6, 0.3, 0.1))

packages <- c("MASS", "mda", "mlbench")
cat(json(list(
  made_with = c(R = R.version.string, sapply(packages, function(p) as.character(packageVersion(p)))),
  iris = iris_case, crabs_by_species = two_classes, crabs = crabs_case, vehicle = vehicle, offset = offset_case
)), "\n", sep = "")
