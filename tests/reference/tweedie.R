# Reference numbers for Tweedie's distributions.  From the project root:
#   Rscript tests/reference/tweedie.R > tests/reference/tweedie.json

suppressPackageStartupMessages(library(mgcv))
source("tests/reference/json.R")

# 1. Densities ----------------------------------------------------------------------------------

grid <- expand.grid(y = c(0, 1e-6, 0.03, 1, 7, 400), mu = c(0.2, 3), power = c(1.05, 1.3, 1.5, 1.8, 1.97),
                    phi = c(0.1, 1, 20))
log_density <- sapply(seq_len(nrow(grid)), function(i)
  ldTweedie(grid$y[i], grid$mu[i], p = grid$power[i], phi = grid$phi[i])[1])


# 2. A fit with the power estimated -------------------------------------------------------------

set.seed(3)
n <- 150
x1 <- signif(rnorm(n), 4); x2 <- signif(runif(n), 4)
y <- signif(rTweedie(exp(0.5 + 0.6 * x1 - x2), p = 1.6, phi = 1.5), 6)

loglik <- function(par, mu) sum(ldTweedie(y, mu, p = 1 + plogis(par[1]), phi = exp(par[2]))[, 1])
scores <- function(par, mu) {
  h <- c(1e-4, 0); k <- rev(h)
  c(loglik(par + h, mu) - loglik(par - h, mu), loglik(par + k, mu) - loglik(par - k, mu)) / 2e-4
}
par <- c(0, 0)
for (i in 1:30) {  # by turns until nothing moves
  fit <- glm(y ~ x1 + x2, family = Tweedie(p = 1 + plogis(par[1]), link = power(0)),
             control = glm.control(epsilon = 1e-15, maxit = 100))
  best <- optim(par, function(par) -loglik(par, fitted(fit)), function(par) -scores(par, fitted(fit)),
                method = "BFGS", control = list(reltol = 1e-15))
  moved <- max(abs(best$par - par)); par <- best$par
}
stopifnot(moved < 1e-6, max(abs(scores(par, fitted(fit)))) < 1e-4)

cat(json(list(
  made_with = c(R = R.version.string, mgcv = as.character(packageVersion("mgcv"))),
  density = c(as.list(grid), list(log_density = log_density)),
  fit = list(x1 = x1, x2 = x2, y = y, power = 1 + plogis(par[1]), phi = exp(par[2]), coef = coef(fit),
             deviance = deviance(fit), loglik = loglik(par, fitted(fit)), moved = moved)
)), "\n", sep = "")
