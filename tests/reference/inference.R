# Reference numbers for the inference of likelihood models.  From the project root:
#   Rscript tests/reference/inference.R > tests/reference/inference.json

suppressPackageStartupMessages({ library(MASS); library(sandwich) })
source("tests/reference/json.R")

# R stops by the deviance, and its standard errors are those of the step before: two more steps.
to_the_end <- function(fit) {
  for (i in 1:2) fit <- suppressWarnings(update(fit, start = coef(fit), epsilon = 1e-15, maxit = 100))
  fit
}

text_of <- function(fit) {
  lines <- capture.output(print(summary(fit)))
  lines[grep("^Coefficients", lines):grep("^AIC", lines)]
}

numbers_of <- function(fit) {
  s <- summary(fit); table <- s$coefficients
  list(
    coef = coef(fit), se = table[, 2], statistic = table[, 3], p = table[, 4], vcov = unname(s$cov.scaled),
    dispersion = s$dispersion, deviance = deviance(fit), null_deviance = fit$null.deviance,
    df_residual = fit$df.residual, df_null = fit$df.null, loglik = as.numeric(logLik(fit)), aic = AIC(fit), bic = BIC(fit)
  )
}

sandwiches <- function(fit, cluster) list(
  HC0 = unname(vcovHC(fit, type = "HC0")), HC1 = unname(vcovHC(fit, type = "HC1")),
  HC2 = unname(vcovHC(fit, type = "HC2")), HC3 = unname(vcovHC(fit, type = "HC3")),
  cluster = unname(vcovCL(fit, cluster = cluster, type = "HC1"))
)

influence_of <- function(fit) list(
  leverage = unname(hatvalues(fit)), standardised = unname(rstandard(fit)), cooks_distance = unname(cooks.distance(fit))
)

# Steps of a hundredth leave the interpolation five digits and more.
profile_of <- function(fit) {
  suppressMessages(unname(confint(profile(fit, del = 0.02, maxsteps = 500))))
}

case <- function(fit, smaller, data, target, columns, cluster, ...) {
  fit <- to_the_end(fit); smaller <- to_the_end(smaller)
  test <- if (family(fit)$family %in% c("binomial", "poisson")) "LRT" else "F"
  change <- anova(smaller, fit, test = test)
  c(
    list(data = as.list(data), target = target, columns = columns, family = family(fit)$family, link = family(fit)$link),
    list(...), numbers_of(fit),
    list(
      text = text_of(fit), sandwich = sandwiches(fit, cluster), groups = cluster, influence = influence_of(fit),
      compare = list(
        columns = attr(terms(smaller), "term.labels"),
        statistic = if (test == "F") change$F[2] else change$Deviance[2], p = change[[ncol(change)]][2],
        rao = anova(smaller, fit, test = "Rao")$Rao[2]
      )
    )
  )
}

cars <- mtcars[c("mpg", "wt", "hp", "am", "cyl")]
breaks <- data.frame(
  breaks = warpbreaks$breaks, wool_b = as.numeric(warpbreaks$wool == "B"),
  tension_m = as.numeric(warpbreaks$tension == "M"), tension_h = as.numeric(warpbreaks$tension == "H")
)
claims <- data.frame(
  claims = Insurance$Claims, holders = Insurance$Holders, district = as.numeric(Insurance$District),
  group = as.numeric(unclass(Insurance$Group)), age = as.numeric(unclass(Insurance$Age))
)
cancer <- data.frame(
  cases = esoph$ncases, trials = esoph$ncases + esoph$ncontrols, age = as.numeric(unclass(esoph$agegp)),
  alcohol = as.numeric(unclass(esoph$alcgp)), tobacco = as.numeric(unclass(esoph$tobgp))
)
tight <- glm.control(epsilon = 1e-15, maxit = 100)

am <- case(
  glm(am ~ wt + hp, binomial, cars), glm(am ~ wt, binomial, cars), cars, "am", c("wt", "hp"), cars$cyl
)
am$profile <- profile_of(glm(am ~ wt + hp, binomial, cars, control = tight))
wool <- case(
  glm(breaks ~ wool_b + tension_m + tension_h, poisson, breaks), glm(breaks ~ wool_b, poisson, breaks),
  breaks, "breaks", c("wool_b", "tension_m", "tension_h"), rep(1:9, 6)
)
wool$profile <- profile_of(glm(breaks ~ wool_b + tension_m + tension_h, poisson, breaks, control = tight))
insurance <- case(
  glm(claims ~ district + group + age + offset(log(holders)), poisson, claims),
  glm(claims ~ district + offset(log(holders)), poisson, claims),
  claims, "claims", c("district", "group", "age"), rep(1:8, each = 8), exposure = "holders"
)
gamma <- case(
  glm(mpg ~ wt + hp, Gamma("log"), cars), glm(mpg ~ hp, Gamma("log"), cars), cars, "mpg", c("wt", "hp"), cars$cyl
)
inverse <- case(
  glm(mpg ~ wt + hp, inverse.gaussian("log"), cars, start = c(3, 0, 0)),
  glm(mpg ~ hp, inverse.gaussian("log"), cars, start = c(3, 0)), cars, "mpg", c("wt", "hp"), cars$cyl
)
inverse$profile <- profile_of(glm(mpg ~ wt + hp, inverse.gaussian("log"), cars, start = c(3, 0, 0), control = tight))
# Weights as R has them: numbers of trials, and precisions.
shares <- case(
  glm(cases / trials ~ age + alcohol + tobacco, binomial("probit"), cancer, weights = trials),
  glm(cases / trials ~ age + alcohol, binomial("probit"), cancer, weights = trials),
  cancer, "cases", c("age", "alcohol", "tobacco"), rep(1:11, 8), trials = "trials"
)
w <- rep(c(0.5, 1, 2, 4), 8)
precision <- case(
  glm(mpg ~ wt + hp, Gamma("log"), cars, weights = w), glm(mpg ~ hp, Gamma("log"), cars, weights = w),
  cars, "mpg", c("wt", "hp"), cars$cyl, weights = w
)
# A column that others explain.
cars$sum <- cars$wt + 2 * cars$hp
aliased <- glm(am ~ wt + hp + sum, binomial, cars)  # a smaller epsilon would have R see it as independent

cat(json(list(
  made_with = list(R = R.version.string, MASS = as.character(packageVersion("MASS")), sandwich = as.character(packageVersion("sandwich"))),
  am = am, wool = wool, insurance = insurance, gamma = gamma, inverse_gaussian = inverse, shares = shares,
  precision = precision,
  aliased = list(data = as.list(cars), target = "am", columns = c("wt", "hp", "sum"), family = "binomial", link = "logit", text = text_of(aliased), coef = coef(aliased))
)), "\n", sep = "")
