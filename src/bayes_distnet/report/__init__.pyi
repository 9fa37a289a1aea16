from .prediction_figures import plot_distribution as plot_distribution
from .prediction_figures import plot_history as plot_history
from .prediction_figures import plot_shift as plot_shift
from .write import check_can_report as check_can_report
from .write import write_report as write_report
