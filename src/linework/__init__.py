"""Linear models from mergeable statistics: scikit-learn's interface, R's answers, one pass."""

from linework.discriminant.fisher import FisherDiscriminant
from linework.discriminant.indicator import IndicatorClassifier
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.discriminant.quadratic import QuadraticDiscriminantAnalysis
from linework.discriminant.regularized import RegularizedDiscriminantAnalysis
from linework.discriminant.regularized_cv import RegularizedDiscriminantAnalysisCV
from linework.engine import threads
from linework.evaluate.coding import CodingMatrixDisplay
from linework.evaluate.densities import ClassDensityDisplay
from linework.evaluate.geometry import (
    boundary,
    distance_to_boundary,
    nearest_boundary_point,
)
from linework.evaluate.masking import MaskingDisplay
from linework.evaluate.projection import DiscriminantProjectionDisplay
from linework.evaluate.regions import DecisionRegionDisplay
from linework.inference.generalized_result import GeneralizedInference
from linework.inference.infer import infer
from linework.inference.influence import Influence, influence
from linework.inference.margins import marginal_effects
from linework.inference.profile_confint import profile_confint
from linework.inference.result import Inference
from linework.inference.score_test import score_test
from linework.likelihood.glm import GLM
from linework.likelihood.logistic import LogisticRegression, SeparationWarning
from linework.likelihood.logistic_cv import LogisticRegressionCV
from linework.likelihood.logistic_path import logistic_path
from linework.likelihood.separability import Separability, linear_separability
from linework.multiclass.one_vs_one import OneVsOneClassifier
from linework.multiclass.one_vs_rest import OneVsRestClassifier
from linework.multiclass.output_code import OutputCodeClassifier
from linework.regression.lasso import ElasticNet, Lasso
from linework.regression.lasso_cv import ElasticNetCV, LassoCV
from linework.regression.linear import LinearRegression
from linework.regression.log_linear import LogLinearRegression
from linework.regression.paths import enet_path, lasso_path
from linework.regression.ridge import Ridge
from linework.regression.ridge_cv import RidgeCV

__all__ = [
    "GLM",
    "ClassDensityDisplay",
    "CodingMatrixDisplay",
    "DecisionRegionDisplay",
    "DiscriminantProjectionDisplay",
    "ElasticNet",
    "ElasticNetCV",
    "FisherDiscriminant",
    "GeneralizedInference",
    "IndicatorClassifier",
    "Inference",
    "Influence",
    "Lasso",
    "LassoCV",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogLinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MaskingDisplay",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "Ridge",
    "RidgeCV",
    "Separability",
    "SeparationWarning",
    "boundary",
    "distance_to_boundary",
    "enet_path",
    "infer",
    "influence",
    "lasso_path",
    "linear_separability",
    "logistic_path",
    "marginal_effects",
    "nearest_boundary_point",
    "profile_confint",
    "score_test",
    "threads",
]
