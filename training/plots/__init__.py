"""Pictures as SVG text: `plot_gantt`, `plot_routes`, `plot_executors`, `plot_anytime`, one per module."""
