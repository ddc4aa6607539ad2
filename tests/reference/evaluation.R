# Reference numbers for judging classifiers.  From the project root:
#   Rscript tests/reference/evaluation.R > tests/reference/evaluation.json

suppressPackageStartupMessages(library(pROC))
source("tests/reference/json.R")

# Areas with DeLong's variance and interval, and his paired test of the first two scores.
areas <- function(outcome, scores) {
  curves <- lapply(scores, function(s) roc(outcome, s, levels = c(0, 1), direction = "<"))
  test <- roc.test(curves[[1]], curves[[2]], method = "delong", paired = TRUE)
  list(
    outcome = as.integer(outcome), scores = scores,
    auc = sapply(curves, function(r) as.numeric(auc(r))),
    variance = sapply(curves, function(r) as.numeric(var(r, method = "delong"))),
    interval = lapply(curves, function(r) as.numeric(ci.auc(r, method = "delong"))[c(1, 3)]),
    test = list(
      statistic = unname(test$statistic), p_value = test$p.value, interval = as.numeric(test$conf.int)
    )
  )
}

data(aSAH)

# Table 1 of DeLong, DeLong and Clarke-Pearson (1988): albumin, total protein, K-G score.
ovarian <- matrix(c(
  3.0, 5.8, 10, 0, 3.2, 6.3, 5, 1, 3.9, 6.8, 3, 1, 2.8, 4.8, 6, 0, 3.2, 5.8, 3, 1, 0.9, 4.0, 5, 0,
  2.5, 5.7, 8, 0, 1.6, 5.6, 5, 1, 3.8, 5.7, 5, 1, 3.7, 6.7, 6, 1, 3.2, 5.4, 4, 1, 3.8, 6.6, 6, 1,
  4.1, 6.6, 5, 1, 3.6, 5.7, 5, 1, 4.3, 7.0, 4, 1, 3.6, 6.7, 4, 0, 2.3, 4.4, 6, 1, 4.2, 7.6, 4, 0,
  4.0, 6.6, 6, 0, 3.5, 5.8, 6, 1, 3.8, 6.8, 7, 1, 3.0, 4.7, 8, 0, 4.5, 7.4, 5, 1, 3.7, 7.4, 5, 1,
  3.1, 6.6, 6, 1, 4.1, 8.2, 6, 1, 4.3, 7.0, 5, 1, 4.3, 6.5, 4, 1, 3.2, 5.1, 5, 1, 2.6, 4.7, 6, 1,
  3.3, 6.8, 6, 0, 1.7, 4.0, 7, 0, 3.7, 6.1, 5, 1, 3.3, 6.3, 7, 1, 4.2, 7.7, 6, 1, 3.5, 6.2, 5, 1,
  2.9, 5.7, 9, 0, 2.1, 4.8, 7, 1, 2.8, 6.2, 8, 0, 4.0, 7.0, 7, 1, 3.3, 5.7, 6, 1, 3.7, 6.9, 5, 1,
  3.6, 6.6, 5, 1
), ncol = 4, byrow = TRUE)

cat(json(list(
  haemorrhage = areas(as.integer(aSAH$outcome == "Poor"), list(as.numeric(aSAH$wfns), aSAH$s100b)),
  ovarian = areas(ovarian[, 4], list(10 - ovarian[, 3], ovarian[, 1], ovarian[, 2]))
)), "\n")
