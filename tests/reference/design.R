# Model matrices of R for `Design`.  From the project root:
#   Rscript tests/reference/design.R > tests/reference/design.json

suppressPackageStartupMessages(library(splines))
source("tests/reference/json.R")
set.seed(1)
n <- 24

rows <- data.frame(
  size = factor(sample(c("small", "medium", "large"), n, TRUE), levels = c("small", "medium", "large", "huge")),
  colour = factor(sample(c("Grün", "blau", "日本", "a b"), n, TRUE), levels = c("Grün", "a b", "blau", "日本")),
  treated = sample(c(TRUE, FALSE), n, TRUE),
  dose = round(rnorm(n, 3, 2), 3),
  count = rpois(n, 4)
)

matrix_of <- function(formula, ...) {
  X <- model.matrix(formula, rows, ...)
  intercept <- colnames(X) == "(Intercept)"
  list(formula = paste(deparse(formula), collapse = ""), columns = unname(colnames(X)[!intercept]),
       matrix = unname(X[, !intercept, drop = FALSE]))
}

whole <- lapply(rows[c("size", "colour")], contrasts, contrasts = FALSE)
cases <- list(
  main = matrix_of(~ size + colour + treated + dose + count),
  every_level = matrix_of(~ size + colour + treated + dose + count, contrasts.arg = whole),
  two_factors = matrix_of(~ size * colour),
  factor_and_number = matrix_of(~ size * dose),
  three = matrix_of(~ size * treated * dose),
  only_interaction = matrix_of(~ size:dose),
  cells = matrix_of(~ 0 + size:colour),
  no_intercept = matrix_of(~ 0 + colour + dose),
  powers = matrix_of(~ dose + I(dose^2) + I(dose^3)),
  orthogonal = matrix_of(~ poly(dose, 3)),
  b_splines = matrix_of(~ bs(dose, df = 5)),
  logarithm = matrix_of(~ log(count + 1) + size)
)

data <- lapply(rows, function(column) if (is.factor(column)) as.character(column) else column)
cat(json(list(levels = lapply(rows[c("size", "colour")], levels), data = data, cases = cases)), "\n", sep = "")
