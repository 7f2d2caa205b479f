"""Search engines that others run: asked over HTTP within limits, and every reply is stored."""
