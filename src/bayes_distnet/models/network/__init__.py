"""Networks: scaling, architecture, training, recipes and predictions."""
