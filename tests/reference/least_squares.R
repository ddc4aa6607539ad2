# Reference numbers for the least-squares family.  From the project root:
#   Rscript tests/reference/least_squares.R > tests/reference/least_squares.json

suppressPackageStartupMessages({
  library(MASS); library(sandwich); library(lmtest); library(car); library(glmnet); library(nnls)
})
# Plain quotes keep the printed summary the same in every locale.
options(useFancyQuotes = FALSE, width = 80)

source("tests/reference/json.R")

classic <- function(fit) {
  s <- summary(fit)
  table <- coef(s)
  f <- unname(s$fstatistic)
  list(
    coef = coef(fit), se = table[, 2], t = table[, 3], p = table[, 4], confint_95 = confint(fit),
    vcov = vcov(fit), sigma = s$sigma, rss = deviance(fit), df_residual = fit$df.residual, rank = fit$rank,
    r2 = s$r.squared, adj_r2 = s$adj.r.squared,
    f = f[1], f_df1 = f[2], f_df2 = f[3], f_p = pf(f[1], f[2], f[3], lower.tail = FALSE),
    loglik = as.numeric(logLik(fit)), aic = AIC(fit), bic = BIC(fit)
  )
}

robust <- function(fit) sapply(c("HC0", "HC1", "HC2", "HC3"), function(type) vcovHC(fit, type), simplify = FALSE)

regression <- function(fit) c(classic(fit), list(
  fitted = unname(fitted(fit)),
  residual_quantiles = setNames(quantile(resid(fit)), c("min", "q1", "median", "q3", "max")),
  vif = vif(fit), hat = unname(hatvalues(fit)), cooks_distance = unname(cooks.distance(fit)),
  vcov_robust = robust(fit),
  summary_text = capture.output(print(summary(fit)))
))

columns <- function(data, names) as.list(data[names])


# 1. Ordinary least squares ---------------------------------------------------------------------

fit <- lm(mpg ~ wt + hp + qsec, data = mtcars)
new <- data.frame(wt = c(2, 2.5, 3, 3.5, 6), hp = c(80, 110, 150, 200, 400), qsec = c(19, 18, 17.5, 16, 14))
clustered <- function(cluster) {
  groups <- length(unique(cluster))
  list(
    cluster = cluster, type = "HC1", n = nobs(fit), k = fit$rank, groups = groups,
    factor = groups / (groups - 1) * (nobs(fit) - 1) / (nobs(fit) - fit$rank),
    vcov = vcovCL(fit, cluster = cluster, type = "HC1"),
    vcov_without_factor = vcovCL(fit, cluster = cluster, type = "HC0", cadjust = FALSE)
  )
}
hc3 <- coeftest(fit, vcov. = vcovHC(fit, "HC3"))
ols <- c(
  list(formula = "mpg ~ wt + hp + qsec", data = columns(mtcars, c("mpg", "wt", "hp", "qsec"))),
  regression(fit),
  list(
    test_hc3 = list(se = hc3[, 2], t = hc3[, 3], p = hc3[, 4]),
    clustered_by_cyl = clustered(mtcars$cyl),
    # Three clusters give a singular matrix for four coefficients; six do not.
    clustered_by_carb = clustered(mtcars$carb),
    predict = list(
      data = as.list(new),
      se_mean = unname(predict(fit, new, se.fit = TRUE)$se.fit),
      columns = c("fit", "lower", "upper"),
      confidence_95 = predict(fit, new, interval = "confidence"),
      prediction_95 = predict(fit, new, interval = "prediction")
    )
  )
)


# 2. Nearly collinear columns -------------------------------------------------------------------

fit <- lm(Employed ~ ., data = longley)
collinear <- c(list(formula = "Employed ~ .", data = as.list(longley)), regression(fit))


# 3. Weights ------------------------------------------------------------------------------------

weighted_case <- function(w) {
  # lm looks its weights up in the data, not in this function.
  data <- cbind(mtcars, w = w)
  # vcovHC counts rows of weight zero and shifts their leverages, so they leave first; lm itself agrees either way.
  precision <- lm(mpg ~ wt + hp, data = data[w > 0, ], weights = w)
  with_zeros <- lm(mpg ~ wt + hp, data = data, weights = w)
  stopifnot(all.equal(classic(precision), classic(with_zeros), tolerance = 1e-12))
  frequency <- lm(mpg ~ wt + hp, data = data[rep(seq_along(w), w), ])
  list(
    formula = "mpg ~ wt + hp", data = columns(mtcars, c("mpg", "wt", "hp")), weights = w, rows_kept = which(w > 0),
    precision = c(classic(precision), list(hat = unname(hatvalues(precision)), vcov_robust = robust(precision))),
    frequency = c(classic(frequency), list(vcov_robust = robust(frequency)))
  )
}
weighted <- weighted_case(1:32)
weighted_with_zeros <- weighted_case(rep(0:3, 8))


# 4. Aliased columns ----------------------------------------------------------------------------

data <- transform(mtcars[c("mpg", "wt", "hp", "qsec")], wt_copy = wt, combination = 2 * wt - hp + 3)
fit <- lm(mpg ~ wt + wt_copy + hp + combination + qsec, data = data)
rank_deficient <- list(
  formula = "mpg ~ wt + wt_copy + hp + combination + qsec", data = as.list(data),
  coef = coef(fit), aliased = names(which(is.na(coef(fit)))), rank = fit$rank, df_residual = fit$df.residual,
  sigma = sigma(fit), r2 = summary(fit)$r.squared, fitted = unname(fitted(fit))
)


# 5. No intercept -------------------------------------------------------------------------------

fit <- lm(mpg ~ wt + hp - 1, data = mtcars)
no_intercept <- c(
  list(formula = "mpg ~ wt + hp - 1", data = columns(mtcars, c("mpg", "wt", "hp"))),
  classic(fit), list(vcov_robust = robust(fit))
)


# 6. Several targets ----------------------------------------------------------------------------

fit <- lm(cbind(mpg, disp) ~ wt + hp, data = mtcars)
targets <- list(
  formula = "cbind(mpg, disp) ~ wt + hp", data = columns(mtcars, c("mpg", "disp", "wt", "hp")),
  by_target = sapply(c("mpg", "disp"), function(target) {
    s <- summary(fit)[[paste("Response", target)]]
    list(coef = s$coefficients[, 1], se = s$coefficients[, 2], t = s$coefficients[, 3], p = s$coefficients[, 4],
         sigma = s$sigma, r2 = s$r.squared)
  }, simplify = FALSE),
  residual_covariance = estVar(fit)
)


# 7. Ridge --------------------------------------------------------------------------------------

ridge_path <- function(lambda) {
  fit <- lm.ridge(Employed ~ ., data = longley, lambda = lambda)
  list(lambda = lambda, gcv = unname(fit$GCV), coef_names = c("(Intercept)", names(fit$scales)),
       coef = unname(coef(fit)), scales = fit$scales, k_hkb = fit$kHKB, k_lw = fit$kLW)
}
ridge <- list(
  formula = "Employed ~ .", data = as.list(longley),
  convention = paste(
    "minimises RSS + lambda * sum((scale_j * coef_j)^2), scale_j = sqrt(mean((x_j - mean(x_j))^2)) (divisor n),",
    "y centred but not scaled; gcv = RSS / (n - sum(d^2 / (d^2 + lambda)))^2 over the centred, scaled columns:",
    "no factor n, and the intercept is not counted as a degree of freedom"
  ),
  whole = ridge_path(0:10),
  # The whole numbers miss the minimum of GCV.
  fine = ridge_path(seq(0, 0.01, 0.001))
)


# 8. Lasso and elastic net ----------------------------------------------------------------------

X <- as.matrix(mtcars[-1])
y <- mtcars$mpg
lambda <- c(100, 50, 20, 10, 5, 2, 1, 0.5, 0.1, 0.02)
population_sd <- function(y, w) sqrt(weighted.mean((y - weighted.mean(y, w))^2, w))

# glmnet scales y to unit variance and lambda with it; the squared term then keeps one 1/sd(y) too many.
# The subgradient of the objective below must vanish where a coefficient is free and stay within bounds elsewhere.
kkt_violation <- function(intercept, b, lambda, alpha, w, positive) {
  r <- y - intercept - drop(X %*% b)
  gradient <- drop(crossprod(X, w * r)) / sum(w) - lambda * (1 - alpha) / population_sd(y, w) * b
  off <- ifelse(b != 0, abs(gradient - lambda * alpha * sign(b)),
                pmax((if (positive) gradient else abs(gradient)) - lambda * alpha, 0))
  max(off, abs(weighted.mean(r, w)))
}

elastic_net_case <- function(alpha, w = rep(1, length(y)), positive = FALSE) {
  # 1e-14 stops short in the flat directions of columns that are not standardised.
  fit <- glmnet(X, y, weights = w, alpha = alpha, lambda = lambda, standardize = FALSE, intercept = TRUE,
                lower.limits = if (positive) 0 else -Inf, thresh = 1e-24, maxit = 1e8)
  b <- unname(t(as.matrix(fit$beta)))
  l1 <- lambda * alpha
  l2 <- lambda * (1 - alpha) / population_sd(y, w)
  worst <- max(mapply(function(i) kkt_violation(fit$a0[i], b[i, ], lambda[i], alpha, w, positive), seq_along(lambda)))
  stopifnot(worst < 1e-9)
  c(list(alpha = alpha, positive = positive),
    if (any(w != 1)) list(weights = w),
    list(lambda = lambda, sklearn_alpha = l1 + l2, sklearn_l1_ratio = l1 / (l1 + l2),
         intercept = unname(fit$a0), coef = b, worst_kkt_violation = worst))
}

fold <- rep(1:10, length.out = 32)
# Without an explicit sequence every fold makes its own and the errors come from interpolated fits.
path <- glmnet(X, y, standardize = FALSE, nlambda = 30)$lambda
cv <- cv.glmnet(X, y, lambda = path, foldid = fold, type.measure = "mse", standardize = FALSE,
                thresh = 1e-24, maxit = 1e8, keep = TRUE)
at <- function(s) {
  b <- coef(cv, s = s)[, 1]
  list(lambda = s, intercept = unname(b[1]), coef = unname(b[-1]))
}
elastic_net <- list(
  formula = "mpg ~ .", data = as.list(mtcars), coef_names = colnames(X),
  convention = paste(
    "minimises RSS / (2 sum(w)) + lambda * alpha * sum(abs(coef)) + lambda * (1 - alpha) / (2 s) * sum(coef^2),",
    "s = weighted sd of y with divisor sum(w): not the objective in glmnet's help page, which has no s.",
    "sklearn_alpha and sklearn_l1_ratio state the same problem in scikit-learn's terms"
  ),
  fits = list(
    lasso = elastic_net_case(1),
    elastic_net_0.5 = elastic_net_case(0.5),
    elastic_net_0.1 = elastic_net_case(0.1),
    lasso_positive = elastic_net_case(1, positive = TRUE),
    elastic_net_0.5_positive = elastic_net_case(0.5, positive = TRUE),
    lasso_weighted = elastic_net_case(1, w = 1:32),
    elastic_net_0.5_weighted = elastic_net_case(0.5, w = 1:32)
  ),
  lasso_cv = list(
    convention = paste(
      "fold_mse: one row per fold; cvm is its mean weighted by fold size, cvsd = sqrt(weighted mean of",
      "(fold_mse - cvm)^2 / (folds - 1)); lambda_1se is the largest lambda with cvm <= (cvm + cvsd) at lambda_min"
    ),
    fold = fold, lambda = cv$lambda,
    fold_mse = unname(apply((y - cv$fit.preval)^2, 2, function(e) tapply(e, fold, mean))),
    cvm = unname(cv$cvm), cvsd = unname(cv$cvsd), nonzero = unname(cv$nzero),
    lambda_min = cv$lambda.min, lambda_1se = cv$lambda.1se,
    at_lambda_min = at(cv$lambda.min), at_lambda_1se = at(cv$lambda.1se)
  )
)


# 9. Non-negative least squares -----------------------------------------------------------------

nnls_case <- function(A, b) {
  fit <- nnls(A, b)
  list(coef = setNames(fit$x, colnames(A)), rss = fit$deviance, active_at_zero = colnames(A)[fit$x == 0])
}
A <- as.matrix(mtcars[c("wt", "hp", "drat", "qsec", "gear")])
centred <- nnls_case(scale(A, scale = FALSE), y - mean(y))
nonnegative <- list(
  formula = "mpg ~ wt + hp + drat + qsec + gear", data = columns(mtcars, c("mpg", colnames(A))),
  unconstrained_coef = coef(lm(mpg ~ wt + hp + drat + qsec + gear, data = mtcars)),
  no_intercept = nnls_case(A, y),
  # nnls has no intercept; centring leaves it free of the constraint.
  free_intercept = c(list(intercept = mean(y) - sum(colMeans(A) * centred$coef)), centred)
)


# 10. Log-linear regression ---------------------------------------------------------------------

fit <- lm(log(mpg) ~ wt + hp, data = mtcars)
on_log <- unname(predict(fit, new))
log_linear <- c(
  list(formula = "log(mpg) ~ wt + hp", data = columns(mtcars, c("mpg", "wt", "hp"))),
  classic(fit),
  list(predict = list(
    data = as.list(new[c("wt", "hp")]), log = on_log,
    median = exp(on_log), mean_normal = exp(on_log + sigma(fit)^2 / 2),
    smearing_factor = mean(exp(resid(fit))), mean_smearing = exp(on_log) * mean(exp(resid(fit)))
  ))
)


packages <- c("MASS", "sandwich", "lmtest", "car", "glmnet", "nnls")
cat(json(list(
  made_with = c(R = R.version.string, sapply(packages, function(p) as.character(packageVersion(p)))),
  ols = ols, collinear = collinear, weighted = weighted, weighted_with_zeros = weighted_with_zeros,
  rank_deficient = rank_deficient, no_intercept = no_intercept, targets = targets, ridge = ridge,
  elastic_net = elastic_net, nonnegative = nonnegative, log_linear = log_linear
)), "\n", sep = "")
