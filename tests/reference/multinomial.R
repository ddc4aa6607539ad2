# Reference numbers for several classes.  From the project root:
#   Rscript tests/reference/multinomial.R > tests/reference/multinomial.json

suppressPackageStartupMessages({ library(nnet); library(MASS); library(brglm2) })
source("tests/reference/json.R")

# BFGS stops where the deviance no longer moves: it begins again there, until nothing does.
multinom_to_the_end <- function(formula, data) {
  fit <- NULL
  for (i in 1:20) {
    start <- if (is.null(fit)) list() else list(Wts = fit$wts)
    fit <- do.call(multinom, c(list(formula, data = data, maxit = 10000, reltol = 1e-16, abstol = 0, trace = FALSE), start))
  }
  fit
}

data <- data.frame(race = factor(birthwt$race), birthwt[c("age", "lwt", "smoke", "ht")])
fit <- multinom_to_the_end(race ~ age + lwt + smoke + ht, data)
smaller <- multinom_to_the_end(race ~ age + lwt, data)
alone <- multinom_to_the_end(race ~ 1, data)
third <- data; third$race <- relevel(third$race, ref = "3")
third <- multinom_to_the_end(race ~ age + lwt + smoke + ht, third)
change <- anova(smaller, fit)
lines <- capture.output(print(summary(fit, Wald.ratios = TRUE)))
race <- list(
  data = as.list(data.frame(race = birthwt$race, data[-1])), target = "race", columns = c("age", "lwt", "smoke", "ht"),
  coef = unname(coef(fit)), se = unname(summary(fit)$standard.errors), vcov = unname(vcov(fit)), names = colnames(vcov(fit)),
  confint = unname(rbind(confint(fit)[, , 1], confint(fit)[, , 2])), deviance = deviance(fit), null_deviance = deviance(alone),
  loglik = as.numeric(logLik(fit)), aic = AIC(fit), bic = BIC(fit), text = lines[grep("^Coefficients", lines):length(lines)],
  third = list(coef = unname(coef(third)), se = unname(summary(third)$standard.errors)),
  compare = list(columns = c("age", "lwt"), statistic = change[["LR stat."]][2], df = change[["   Df"]][2], p = change[["Pr(Chi)"]][2])
)
flat <- brmultinom(race ~ age + lwt + smoke + ht, data = data, type = "AS_mean", ref = 1, epsilon = 1e-13, maxit = 10000)
firth <- list(
  coef = unname(coef(flat)), se = unname(summary(flat)$standard.errors), deviance = deviance(flat)
)

cat(json(list(
  made_with = c(R = R.version.string, sapply(c("nnet", "MASS", "brglm2"), function(p) as.character(packageVersion(p)))),
  race = race, firth = firth
)), "\n", sep = "")
