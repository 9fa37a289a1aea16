"""The runtime distributions that an instance may have, for one solver or several, and objectives over them."""
