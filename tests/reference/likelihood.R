# Reference numbers for the likelihood models.  From the project root:
#   Rscript tests/reference/likelihood.R > tests/reference/likelihood.json

suppressPackageStartupMessages({
  library(MASS); library(nnet); library(glmnet); library(brglm2)
})
source("tests/reference/json.R")

columns <- function(data, names) as.list(data[names])
design <- function(data, names, intercept = TRUE) {
  X <- as.matrix(data[names])
  if (intercept) cbind("(Intercept)" = 1, X) else X
}
# One that has not come to the end is not a reference.
require_small <- function(worst, bound) { stopifnot(worst < bound); worst }


# 0. Tables, all numbers ------------------------------------------------------------------------

tables <- list(
  infert = columns(infert[seq(1, 248, 3), ], c("case", "age", "parity", "induced", "spontaneous")),
  warpbreaks = list(
    breaks = warpbreaks$breaks, wool_b = as.numeric(warpbreaks$wool == "B"),
    tension_m = as.numeric(warpbreaks$tension == "M"), tension_h = as.numeric(warpbreaks$tension == "H")
  ),
  mtcars = columns(mtcars, c("mpg", "wt", "hp", "am")),
  esoph = list(
    cases = esoph$ncases, trials = esoph$ncases + esoph$ncontrols, age = unclass(esoph$agegp),
    alcohol = unclass(esoph$alcgp), tobacco = unclass(esoph$tobgp)
  ),
  insurance = list(
    claims = Insurance$Claims, holders = Insurance$Holders, district = as.numeric(Insurance$District),
    group = as.numeric(unclass(Insurance$Group)), age = as.numeric(unclass(Insurance$Age))
  ),
  birthwt = columns(birthwt, c("low", "age", "lwt", "race", "smoke", "ht", "ui")),
  quine = list(
    days = quine$Days, eth_n = as.numeric(quine$Eth == "N"), sex_m = as.numeric(quine$Sex == "M"),
    f1 = as.numeric(quine$Age == "F1"), f2 = as.numeric(quine$Age == "F2"), f3 = as.numeric(quine$Age == "F3"),
    slow = as.numeric(quine$Lrn == "SL")
  ),
  iris = list(
    species = as.numeric(iris$Species), sepal_length = iris[[1]], sepal_width = iris[[2]],
    petal_length = iris[[3]], petal_width = iris[[4]]
  ),
  endometrial = columns(endometrial, c("HG", "NV", "PI", "EH")),
  housing = list(
    satisfaction = as.numeric(housing$Sat), influence = as.numeric(housing$Infl),
    contact = as.numeric(housing$Cont), apartment = as.numeric(housing$Type == "Apartment"),
    atrium = as.numeric(housing$Type == "Atrium"), terrace = as.numeric(housing$Type == "Terrace"),
    freq = housing$Freq
  )
)
tables <- lapply(tables, function(table) lapply(table, function(column) as.numeric(unclass(column))))


# 1. Families and links -------------------------------------------------------------------------

# V = mu^1.5, which quasi does not know by name.
tweedie <- function(link) {
  family <- poisson(link = "log")
  family$family <- "Tweedie"
  family$link <- link
  family[c("linkfun", "linkinv", "mu.eta", "valideta")] <- make.link(link)[c("linkfun", "linkinv", "mu.eta", "valideta")]
  family$variance <- function(mu) mu^1.5
  family$dev.resids <- function(y, mu, wt)
    2 * wt * (y^0.5 / (-0.5 * 0.5) + y * mu^-0.5 / 0.5 + mu^0.5 / 0.5)
  family$aic <- function(y, n, mu, wt, dev) NA_real_
  family$initialize <- expression({ n <- rep.int(1, nobs); mustart <- y + 0.1 })
  family
}

# The score of each coefficient beside its standard deviation under the model: 0 at the maximum.
scaled_score <- function(X, fit, phi = 1) {
  mu <- fitted(fit)
  each <- fit$prior.weights * (fit$y - mu) * fit$family$mu.eta(fit$linear.predictors) / fit$family$variance(mu)
  max(abs(drop(crossprod(X, each))) / sqrt(phi * drop(crossprod(X^2, fit$weights))))
}

# Steps past R's own criterion, which looks at the deviance, until the score is down to its rounding errors.
to_the_end <- function(X, y, w, offset, family, start = NULL) {
  step <- function(start) suppressWarnings(glm(
    y ~ X - 1, family = family, weights = w, offset = offset, start = start,
    control = glm.control(epsilon = 1e-300, maxit = 500)
  ))
  fit <- step(start)
  for (i in 1:200) if (scaled_score(X, fit) > 1e-13) fit <- step(coef(fit))
  names(fit$coefficients) <- colnames(X)
  fit
}

glm_case <- function(table, target, names, family, ours, link, variant, start = NULL) {
  data <- as.data.frame(tables[[table]])
  n <- nrow(data)
  weighted <- grepl("weights", variant); shifted <- grepl("offset", variant)
  intercept <- !grepl("none", variant)
  w <- if (weighted) rep(c(1, 2, 3), length.out = n) else rep(1, n)
  # A tenth of the linear predictor, so that it keeps to the side where its link is defined.
  offset <- if (shifted) signif(0.1 * seq(-1, 1, length.out = n) * attr(family, "unit"), 3) else rep(0, n)
  X <- design(data, names, intercept)
  if (intercept) start <- if (ours == "binomial") NULL else
    c(family$linkfun(mean(data[[target]])), rep(0, length(names)))
  fit <- to_the_end(X, data[[target]], w, offset, family, start)
  worst <- require_small(scaled_score(X, fit), 1e-9)
  s <- summary(fit)
  # R's null deviance takes an intercept for granted to be in the formula.
  null <- if (intercept) {
    sum(family$dev.resids(fit$y, fitted(to_the_end(X[, 1, drop = FALSE], fit$y, w, offset, family)), w))
  } else {
    mu <- family$linkinv(offset)  # which may leave the range of positive numbers
    if (pair == "gaussian_identity" || isTRUE(all(mu > 0))) sum(family$dev.resids(fit$y, mu, w)) else NA
  }
  c(
    list(table = table, target = target, columns = names, family = ours, link = link, intercept = intercept),
    if (weighted) list(weights = w), if (shifted) list(offset = offset),
    list(
      coef = coef(fit), se = setNames(s$coefficients[, 2], colnames(X)), deviance = deviance(fit), null_deviance = if (is.finite(null)) null else NA_real_, dispersion = s$dispersion,
      df_residual = fit$df.residual, loglik = as.numeric(logLik(fit)), aic = fit$aic, scaled_score = worst
    ),
    if (variant %in% c("plain", "weights")) list(vcov = unname(vcov(fit))),
    if (variant == "plain") list(residuals_of_20 = sapply(
      c("response", "pearson", "deviance", "working"),
      function(type) unname(residuals(fit, type))[1:20], simplify = FALSE
    ))
  )
}

units <- function(family, unit = 1) { attr(family, "unit") <- unit; family }
grid <- list(
  binomial_logit = list("infert", binomial("logit")),
  binomial_probit = list("infert", binomial("probit")),
  binomial_cloglog = list("infert", binomial("cloglog")),
  binomial_cauchit = list("infert", binomial("cauchit")),
  poisson_log = list("warpbreaks", poisson("log")),
  poisson_sqrt = list("warpbreaks", poisson("sqrt")),
  poisson_identity = list("warpbreaks", poisson("identity"), c(20, 20, 20)),
  gaussian_identity = list("mtcars", gaussian("identity")),
  gaussian_log = list("mtcars", gaussian("log"), c(0.5, 0.005, 1)),
  gaussian_inverse = list("mtcars", gaussian("inverse"), c(0.01, 1e-4, 0.01)),
  gamma_inverse = list("mtcars", Gamma("inverse"), c(0.01, 1e-4, 0.01)),
  gamma_log = list("mtcars", Gamma("log")),
  gamma_identity = list("mtcars", Gamma("identity"), c(5, 0.01, 5)),
  inverse_gaussian_inverse_square = list("mtcars", inverse.gaussian("1/mu^2"), c(1e-3, 1e-6, 1e-3)),
  inverse_gaussian_inverse = list("mtcars", inverse.gaussian("inverse"), c(0.01, 1e-4, 0.01)),
  inverse_gaussian_log = list("mtcars", inverse.gaussian("log"), c(0.5, 0.005, 1)),
  inverse_gaussian_identity = list("mtcars", inverse.gaussian("identity"), c(5, 0.01, 5)),
  tweedie_log = list("quine", tweedie("log")),
  negative_binomial_log = list("quine", negative.binomial(2, "log")),
  negative_binomial_sqrt = list("quine", negative.binomial(2, "sqrt")),
  negative_binomial_identity = list("quine", negative.binomial(2, "identity"))
)
# Tables without columns that keep links of half a line inside have no fit without an intercept.
bare <- list(
  infert = list("case", c("age", "parity", "induced", "spontaneous"), TRUE),
  warpbreaks = list("breaks", c("wool_b", "tension_m", "tension_h"), FALSE),
  mtcars = list("mpg", c("wt", "hp", "am"), TRUE),
  quine = list("days", c("eth_n", "sex_m", "f1", "f2", "f3", "slow"), FALSE)
)
glms <- list()
for (pair in names(grid)) {
  case <- grid[[pair]]; table <- case[[1]]; family <- case[[2]]
  ours <- sub("_(logit|probit|cloglog|cauchit|log|sqrt|identity|inverse|inverse_square)$", "", pair)
  if (grepl("inverse_gaussian", pair)) ours <- "inverse_gaussian"
  link <- sub(paste0("^", ours, "_"), "", pair)
  unit <- if (ours == "binomial" || link == "log") 1 else family$linkfun(20)
  variants <- c("plain", "weights", "offset", "weights_offset")
  if (bare[[table]][[3]] || link == "log") variants <- c(variants, "none", "none_weights_offset")
  # R's steps leave the domain for the others.
  if (pair == "negative_binomial_identity") variants <- c("plain", "weights")
  for (variant in variants) {
    glms[[paste(pair, variant, sep = "_")]] <- glm_case(
      table, bare[[table]][[1]], bare[[table]][[2]], units(family, unit), ours, link, variant,
      if (length(case) > 2) case[[3]]
    )
  }
}


# 2. Shares of counted trials, and exposure -----------------------------------------------------

data <- as.data.frame(tables$esoph)
names_x <- c("age", "alcohol", "tobacco")
shares <- lapply(c(logit = "logit", probit = "probit", cloglog = "cloglog"), function(link) {
  X <- design(data, names_x)
  fit <- to_the_end(X, data$cases / data$trials, data$trials, rep(0, nrow(data)), binomial(link))
  s <- summary(fit)
  list(
    table = "esoph", columns = names_x, link = link, coef = coef(fit), se = setNames(s$coefficients[, 2], colnames(X)),
    deviance = deviance(fit), null_deviance = fit$null.deviance, loglik = as.numeric(logLik(fit)), aic = fit$aic,
    scaled_score = require_small(scaled_score(X, fit), 1e-9)
  )
})
for (link in names(shares)) {  # the intercept is a column here
  X <- design(data, "age")[, 1, drop = FALSE]
  shares[[link]]$null_deviance <- deviance(
    to_the_end(X, data$cases / data$trials, data$trials, rep(0, nrow(data)), binomial(link))
  )
}

data <- as.data.frame(tables$insurance)
names_x <- c("district", "group", "age")
X <- design(data, names_x)
fit <- to_the_end(X, data$claims, rep(1, 64), log(data$holders), poisson())
exposure <- list(
  table = "insurance", target = "claims", exposure = "holders", columns = names_x, coef = coef(fit),
  se = setNames(summary(fit)$coefficients[, 2], colnames(X)), deviance = deviance(fit),
  null_deviance = deviance(to_the_end(X[, 1, drop = FALSE], data$claims, rep(1, 64), log(data$holders), poisson())),
  loglik = as.numeric(logLik(fit)), scaled_score = require_small(scaled_score(X, fit), 1e-9)
)


# 3. Several classes ----------------------------------------------------------------------------

softmax <- function(eta) { e <- exp(eta - apply(eta, 1, max)); e / rowSums(e) }

multinomial_case <- function(table, target, names, weights = NULL) {
  data <- as.data.frame(tables[[table]])
  w <- if (is.null(weights)) rep(1, nrow(data)) else data[[weights]]
  X <- design(data, names); g <- factor(data[[target]]); K <- nlevels(g); p <- ncol(X)
  fit <- multinom(g ~ X - 1, weights = w, maxit = 10000, reltol = 1e-15, abstol = 0, trace = FALSE)
  B <- matrix(coef(fit), K - 1, p)
  Y <- outer(as.integer(g), 2:K, "==") * 1
  for (i in 1:10) {  # Newton's steps, where BFGS ends at seven digits
    P <- softmax(cbind(0, X %*% t(B)))[, -1, drop = FALSE]
    score <- as.vector(crossprod(X, w * (Y - P)))
    H <- matrix(0, p * (K - 1), p * (K - 1))
    for (a in 1:(K - 1)) for (b in 1:(K - 1))
      H[(a - 1) * p + 1:p, (b - 1) * p + 1:p] <- crossprod(X, w * X * P[, a] * ((a == b) - P[, b]))
    B <- B + t(matrix(solve(H, score), p, K - 1))
  }
  stopifnot(max(abs(B - coef(fit)) / (1e-3 + abs(B))) < 1e-3)
  P <- softmax(cbind(0, X %*% t(B)))
  c(if (!is.null(weights)) list(weights = weights), list(
    table = table, target = target, columns = names, coef_names = colnames(X), coef = unname(B),
    se = unname(matrix(sqrt(diag(solve(H))), K - 1, p, byrow = TRUE)),
    deviance = -2 * sum(w * log(P[cbind(seq_along(g), as.integer(g))])),
    scaled_score = require_small(max(abs(score) / sqrt(diag(H))), 1e-10)
  ))
}
multinomial <- list(
  convention = "coef: a row for each class but the first, of log odds against the first",
  race = multinomial_case("birthwt", "race", c("age", "lwt", "smoke", "ht")),
  satisfaction = multinomial_case("housing", "satisfaction", c("influence", "contact", "apartment"), "freq")
)


# 4. Penalties ----------------------------------------------------------------------------------

# The subgradient of  -loglik / sum(w) + lambda (alpha |b|_1 + (1 - alpha) / 2 |b|^2)  nearest to zero.
kkt <- function(X, r, w, b, lambda, alpha) {
  g <- -as.matrix(crossprod(X, w * r)) / sum(w) + lambda * (1 - alpha) * b
  l1 <- lambda * alpha
  max(ifelse(b != 0, abs(g + l1 * sign(b)), pmax(abs(g) - l1, 0)), abs(colSums(w * as.matrix(r))) / sum(w))
}
penalised <- function(table, target, names, family, lambda, alpha, w = NULL, offset = NULL) {
  data <- as.data.frame(tables[[table]])
  X <- scale(as.matrix(data[names])); y <- data[[target]]; n <- nrow(X)
  weight <- if (is.null(w)) rep(1, n) else w
  shift <- if (is.null(offset)) rep(0, n) else offset
  glmnet.control(epsnr = 1e-14, mxitnr = 1000)
  fit <- glmnet(X, if (family == "poisson") y else factor(y), family = family, weights = weight, offset = offset,
                lambda = lambda, alpha = alpha, standardize = FALSE, thresh = 1e-22, maxit = 1e8)
  if (family == "multinomial") {
    B <- sapply(fit$beta, function(b) as.matrix(b)[, 1]); b0 <- fit$a0[, 1]
    eta <- sweep(X %*% B, 2, b0, "+")
    r <- outer(y, sort(unique(y)), "==") - softmax(eta)
  } else {
    B <- as.matrix(fit$beta)[, 1]; b0 <- fit$a0[[1]]
    eta <- drop(b0 + X %*% B + shift)
    r <- (if (family == "poisson") y else as.numeric(y == max(y))) - (if (family == "poisson") exp else plogis)(eta)
  }
  c(list(table = table, target = target, columns = names, family = family, lambda = lambda, alpha = alpha),
    if (!is.null(w)) list(weights = w), if (!is.null(offset)) list(offset = offset),
    list(intercept = unname(b0), coef = unname(if (is.matrix(B)) t(B) else B),
         worst_kkt_violation = require_small(kkt(X, r, weight, B, lambda, alpha), 1e-8)))
}
birth <- c("age", "lwt", "smoke", "ht", "ui"); flowers <- names(tables$iris)[-1]
breaks <- c("wool_b", "tension_m", "tension_h")
penalties <- list(
  convention = paste(
    "columns are divided by their standard deviation (divisor n - 1) about their mean; minimises -loglik / sum(w) +",
    "lambda * (alpha * sum(abs(coef)) + (1 - alpha) / 2 * sum(coef^2)); multinomial intercepts up to a constant"
  ),
  binomial_lasso = penalised("birthwt", "low", birth, "binomial", 0.03, 1),
  binomial_lasso_weights = penalised("birthwt", "low", birth, "binomial", 0.03, 1, w = rep(1:3, 63)),
  binomial_elastic_net = penalised("birthwt", "low", birth, "binomial", 0.02, 0.5),
  binomial_ridge = penalised("birthwt", "low", birth, "binomial", 0.05, 0),
  multinomial_lasso = penalised("iris", "species", flowers, "multinomial", 0.02, 1),
  multinomial_elastic_net = penalised("iris", "species", flowers, "multinomial", 0.01, 0.5),
  multinomial_ridge = penalised("iris", "species", flowers, "multinomial", 0.01, 0),
  poisson_lasso = penalised("warpbreaks", "breaks", breaks, "poisson", 1, 1),
  poisson_elastic_net = penalised("warpbreaks", "breaks", breaks, "poisson", 0.5, 0.5, w = rep(1:3, 18)),
  poisson_ridge_offset = penalised("insurance", "claims", c("district", "group", "age"), "poisson", 1, 0,
                                   offset = log(tables$insurance$holders))
)


# 5. The negative binomial's theta --------------------------------------------------------------

data <- as.data.frame(tables$quine)
names_x <- c("eth_n", "sex_m", "f1", "f2", "f3", "slow")
X <- design(data, names_x)
theta <- glm.nb(data$days ~ X - 1)$theta
for (i in 1:100) {  # by turns until nothing moves
  fit <- to_the_end(X, data$days, rep(1, nrow(X)), rep(0, nrow(X)), negative.binomial(theta))
  theta <- as.numeric(theta.ml(data$days, fitted(fit), limit = 100, eps = 1e-15))
}
se_theta <- attr(theta.ml(data$days, fitted(fit), limit = 100, eps = 1e-15), "SE")
score_theta <- sum(digamma(theta + data$days) - digamma(theta) + log(theta) + 1 - log(theta + fitted(fit)) -
                     (data$days + theta) / (fitted(fit) + theta))
negative_binomial <- list(
  table = "quine", target = "days", columns = names_x, theta = theta, se_theta = se_theta, coef = coef(fit),
  se = setNames(sqrt(diag(summary(fit, dispersion = 1)$cov.scaled)), colnames(X)), deviance = deviance(fit),
  loglik = sum(dnbinom(data$days, size = theta, mu = fitted(fit), log = TRUE)),
  scaled_score = require_small(max(scaled_score(X, fit), abs(score_theta) * se_theta), 1e-9)
)


# 6. Ordered classes ----------------------------------------------------------------------------

distributions <- list(logistic = list(plogis, dlogis), probit = list(pnorm, dnorm),
                      cloglog = list(function(x) 1 - exp(-exp(x)), function(x) exp(x - exp(x))),
                      loglog = list(function(x) exp(-exp(-x)), function(x) exp(-x - exp(-x))),
                      cauchit = list(pcauchy, dcauchy))
ordinal_case <- function(method, names, start = NULL, near = 1e-4) {
  data <- as.data.frame(tables$housing)
  X <- as.matrix(data[names]); g <- factor(data$satisfaction, ordered = TRUE); w <- data$freq
  arguments <- list(g ~ X, weights = w, method = method, Hess = TRUE, control = list(reltol = 1e-15, maxit = 5000))
  fit <- do.call(polr, c(arguments, if (!is.null(start)) list(start = start)))
  F <- distributions[[method]][[1]]; f <- distributions[[method]][[2]]
  K <- nlevels(g); p <- ncol(X); k <- as.integer(g)
  gradient <- function(par) {  # of -loglik
    z <- c(-Inf, par[p + 1:(K - 1)], Inf); eta <- drop(X %*% par[1:p])
    upper <- z[k + 1] - eta; lower <- z[k] - eta
    up <- ifelse(is.finite(upper), f(upper), 0); low <- ifelse(is.finite(lower), f(lower), 0)
    P <- ifelse(is.finite(upper), F(upper), 1) - ifelse(is.finite(lower), F(lower), 0)
    c(crossprod(X, w * (up - low) / P),
      sapply(1:(K - 1), function(j) -sum(w * ((k == j) * up - (k == j + 1) * low) / P)))
  }
  hessian <- function(par) {
    H <- sapply(seq_along(par), function(j) {
      h <- 1e-5 * (seq_along(par) == j)
      (8 * (gradient(par + h) - gradient(par - h)) - (gradient(par + 2 * h) - gradient(par - 2 * h))) / 12e-5
    })
    (H + t(H)) / 2
  }
  par <- c(coef(fit), fit$zeta)
  for (i in 1:10) par <- par - solve(hessian(par), gradient(par))
  stopifnot(max(abs(par - c(coef(fit), fit$zeta))) < near)
  H <- hessian(par)
  z <- c(-Inf, par[p + 1:(K - 1)], Inf); eta <- drop(X %*% par[1:p])
  P <- ifelse(k == K, 1, F(z[k + 1] - eta)) - ifelse(k == 1, 0, F(z[k] - eta))
  list(
    table = "housing", target = "satisfaction", weights = "freq", columns = names, coef = setNames(par[1:p], names),
    thresholds = unname(par[-(1:p)]), se = unname(sqrt(diag(solve(H)))), deviance = -2 * sum(w * log(P)),
    scaled_score = require_small(max(abs(gradient(par)) / sqrt(diag(H))), 1e-9)
  )
}
names_x <- c("influence", "contact", "apartment", "atrium", "terrace")
ordinal <- list(
  convention = "P(Y <= k) = F(threshold_k - x'coef); se: of coef, then of the thresholds, from the observed information",
  logistic = ordinal_case("logistic", names_x), probit = ordinal_case("probit", names_x),
  cloglog = ordinal_case("cloglog", names_x), loglog = ordinal_case("loglog", names_x),
  # It finds no start by itself, and stops early.
  cauchit = ordinal_case("cauchit", names_x, start = c(numeric(5), qcauchy(c(1, 2) / 3)), near = 0.02)
)


# 7. Firth's penalised likelihood ---------------------------------------------------------------

firth_case <- function(table, target, names, positive = 1, rows = TRUE, link = "logit") {
  data <- as.data.frame(tables[[table]])[rows, ]
  X <- design(data, names); y <- as.numeric(data[[target]] == positive)
  fit <- function(type) glm(y ~ X - 1, family = binomial(link), method = "brglmFit", type = type,
                            epsilon = 1e-13, maxit = 10000)
  mean_reduced <- fit("AS_mean"); jeffreys <- fit("MPL_Jeffreys")
  if (link == "logit") stopifnot(all.equal(coef(mean_reduced), coef(jeffreys), tolerance = 1e-8))
  s <- summary(jeffreys)
  worst <- require_small(max(abs(jeffreys$grad[seq_len(ncol(X))]) * s$coefficients[, 2]), 1e-9)
  list(
    table = table, target = target, positive = positive, rows = which(rep(rows, length.out = nrow(as.data.frame(tables[[table]])))),
    columns = names, link = link,
    coef = setNames(coef(jeffreys), colnames(X)), se = setNames(s$coefficients[, 2], colnames(X)),
    vcov = unname(vcov(jeffreys)), deviance = deviance(jeffreys),
    coef_mean_reduced = setNames(coef(mean_reduced), colnames(X)),
    penalised_loglik = -deviance(jeffreys) / 2 + as.numeric(determinant(solve(vcov(jeffreys)))$modulus) / 2,
    scaled_score = worst
  )
}
data <- as.data.frame(tables$iris)
g <- factor(data$species)
flower <- brmultinom(g ~ petal_length + petal_width, data = data, type = "AS_mean", ref = 1, epsilon = 1e-12, maxit = 10000)
firth <- list(
  convention = paste(
    "coef maximises loglik + log(det(information)) / 2 (type MPL_Jeffreys), which for the logit link is the estimate",
    "of reduced mean bias (AS_mean); se from the expected information at coef"
  ),
  endometrial = firth_case("endometrial", "HG", c("NV", "PI", "EH")),
  endometrial_probit = firth_case("endometrial", "HG", c("NV", "PI", "EH"), link = "probit"),
  iris_separable = firth_case("iris", "species", c("petal_length", "petal_width"), 2, data$species < 3),
  birthwt = firth_case("birthwt", "low", c("age", "lwt", "smoke", "ht", "ui")),
  iris_classes = list(
    table = "iris", target = "species", columns = c("petal_length", "petal_width"),
    coef = unname(coef(flower)), se = unname(summary(flower)$standard.errors)
  )
)


packages <- c("MASS", "nnet", "glmnet", "brglm2")
cat(json(list(
  made_with = c(R = R.version.string, sapply(packages, function(p) as.character(packageVersion(p)))),
  tables = tables, glm = glms, shares = shares, exposure = exposure, multinomial = multinomial,
  penalties = penalties, negative_binomial = negative_binomial, ordinal = ordinal, firth = firth
)), "\n", sep = "")
