"""The public names, flat and explicit; `linework` hands them out on first use."""

from linework.design.bases import Fourier, Gaussian, Polynomial, Sigmoid, Spline
from linework.design.dates import Dates
from linework.design.design import Design
from linework.design.treatments import Nominal, Numeric, Ordinal
from linework.discriminant.fisher import FisherDiscriminant
from linework.discriminant.indicator import IndicatorClassifier
from linework.discriminant.linear import LinearDiscriminantAnalysis
from linework.discriminant.quadratic import QuadraticDiscriminantAnalysis
from linework.discriminant.regularized import RegularizedDiscriminantAnalysis
from linework.discriminant.regularized_cv import RegularizedDiscriminantAnalysisCV
from linework.engine import threads
from linework.evaluate.by_class import class_rankings
from linework.evaluate.calibrated_classifier import CalibratedClassifier
from linework.evaluate.coding import CodingMatrixDisplay
from linework.evaluate.coefficient_path import CoefficientPathDisplay
from linework.evaluate.confusion import ConfusionMatrix
from linework.evaluate.decision_classifier import DecisionClassifier
from linework.evaluate.delong import AucComparison, compare_auc
from linework.evaluate.densities import ClassDensityDisplay
from linework.evaluate.effects import EffectDisplay
from linework.evaluate.geometry import (
    boundary,
    distance_to_boundary,
    nearest_boundary_point,
)
from linework.evaluate.imbalance_report import ImbalanceReport
from linework.evaluate.importance import ImportanceDisplay
from linework.evaluate.logit_adjustment import LogitAdjustment
from linework.evaluate.masking import MaskingDisplay
from linework.evaluate.neyman_pearson import NeymanPearsonRule
from linework.evaluate.operating_points import OperatingPointDisplay
from linework.evaluate.projection import DiscriminantProjectionDisplay
from linework.evaluate.ranking import RankedScores
from linework.evaluate.regions import DecisionRegionDisplay
from linework.evaluate.reliability import (
    ReliabilityDisplay,
    ScoreDecomposition,
    decompose_score,
)
from linework.evaluate.residual_panel import ResidualPanelDisplay
from linework.evaluate.rules import DecisionRule
from linework.evaluate.score_curves import LearningCurveDisplay, ValidationCurveDisplay
from linework.evaluate.search_curve import SearchCurveDisplay
from linework.evaluate.thresholds import TunedThresholds
from linework.imbalance.borderline import BorderlineSMOTE
from linework.imbalance.easy_ensemble import EasyEnsembleClassifier
from linework.imbalance.resampled import ResampledClassifier
from linework.imbalance.rows import RandomOverSampler, RandomUnderSampler
from linework.imbalance.smote import SMOTE
from linework.imbalance.smotenc import SMOTENC
from linework.inference.generalized_result import GeneralizedInference
from linework.inference.infer import infer
from linework.inference.influence import Influence, influence
from linework.inference.likelihood_ratio import likelihood_ratio_test
from linework.inference.margins import marginal_effects
from linework.inference.multinomial_result import MultinomialInference
from linework.inference.ordinal import OrdinalInference
from linework.inference.profile_confint import profile_confint
from linework.inference.result import Inference
from linework.inference.score_test import score_test
from linework.likelihood.glm import GLM
from linework.likelihood.glm_path import glm_path
from linework.likelihood.logistic import LogisticRegression, SeparationWarning
from linework.likelihood.logistic_cv import LogisticRegressionCV
from linework.likelihood.logistic_path import logistic_path
from linework.likelihood.ordinal import OrdinalRegression
from linework.likelihood.separability import Separability, linear_separability
from linework.multiclass.one_vs_one import OneVsOneClassifier
from linework.multiclass.one_vs_rest import OneVsRestClassifier
from linework.multiclass.output_code import OutputCodeClassifier
from linework.persist.errors import ModelFileError
from linework.persist.model_file import load, save
from linework.regression.lasso import ElasticNet, Lasso
from linework.regression.lasso_cv import ElasticNetCV, LassoCV
from linework.regression.linear import LinearRegression
from linework.regression.log_linear import LogLinearRegression
from linework.regression.paths import enet_path, lasso_path
from linework.regression.ridge import Ridge
from linework.regression.ridge_cv import RidgeCV
from linework.selection.compare import Comparison, compare_models, corrected_t_test
from linework.selection.curves import learning_curve, validation_curve
from linework.selection.search import GridSearchCV
from linework.selection.validation import cross_val_predict, cross_validate

__all__ = [
    "GLM",
    "SMOTE",
    "SMOTENC",
    "AucComparison",
    "BorderlineSMOTE",
    "CalibratedClassifier",
    "ClassDensityDisplay",
    "CodingMatrixDisplay",
    "CoefficientPathDisplay",
    "Comparison",
    "ConfusionMatrix",
    "Dates",
    "DecisionClassifier",
    "DecisionRegionDisplay",
    "DecisionRule",
    "Design",
    "DiscriminantProjectionDisplay",
    "EasyEnsembleClassifier",
    "EffectDisplay",
    "ElasticNet",
    "ElasticNetCV",
    "FisherDiscriminant",
    "Fourier",
    "Gaussian",
    "GeneralizedInference",
    "GridSearchCV",
    "ImbalanceReport",
    "ImportanceDisplay",
    "IndicatorClassifier",
    "Inference",
    "Influence",
    "Lasso",
    "LassoCV",
    "LearningCurveDisplay",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LogLinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LogitAdjustment",
    "MaskingDisplay",
    "ModelFileError",
    "MultinomialInference",
    "NeymanPearsonRule",
    "Nominal",
    "Numeric",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OperatingPointDisplay",
    "Ordinal",
    "OrdinalInference",
    "OrdinalRegression",
    "OutputCodeClassifier",
    "Polynomial",
    "QuadraticDiscriminantAnalysis",
    "RandomOverSampler",
    "RandomUnderSampler",
    "RankedScores",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "ReliabilityDisplay",
    "ResampledClassifier",
    "ResidualPanelDisplay",
    "Ridge",
    "RidgeCV",
    "ScoreDecomposition",
    "SearchCurveDisplay",
    "Separability",
    "SeparationWarning",
    "Sigmoid",
    "Spline",
    "TunedThresholds",
    "ValidationCurveDisplay",
    "boundary",
    "class_rankings",
    "compare_auc",
    "compare_models",
    "corrected_t_test",
    "cross_val_predict",
    "cross_validate",
    "decompose_score",
    "distance_to_boundary",
    "enet_path",
    "glm_path",
    "infer",
    "influence",
    "lasso_path",
    "learning_curve",
    "likelihood_ratio_test",
    "linear_separability",
    "load",
    "logistic_path",
    "marginal_effects",
    "nearest_boundary_point",
    "profile_confint",
    "save",
    "score_test",
    "threads",
    "validation_curve",
]
