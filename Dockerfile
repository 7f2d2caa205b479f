# The HTTP service over a workspace in the volume /data: docker build -t querykin . (docs/how-to/deploy.md)
ARG PYTHON_VERSION=3.12

FROM python:${PYTHON_VERSION}-slim AS build
WORKDIR /source
COPY requirements/build.txt requirements/image.txt requirements/
# Versions and hashes are those of the lock files, of wheels only: no code of a dependency runs here.
RUN python -m venv --without-pip /opt/querykin && \
    pip --disable-pip-version-check --python /opt/querykin/bin/python install --quiet \
    --only-binary :all: --require-hashes --requirement requirements/image.txt
RUN python -m venv backend && \
    backend/bin/pip --disable-pip-version-check install --quiet \
    --only-binary :all: --require-hashes --requirement requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN backend/bin/pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir wheels . && \
    pip --disable-pip-version-check --python /opt/querykin/bin/python install --quiet --no-deps wheels/*.whl

FROM python:${PYTHON_VERSION}-slim
COPY --from=build /opt/querykin /opt/querykin
ENV PATH=/opt/querykin/bin:${PATH} \
    PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CACHE_DIR=/var/cache/querykin \
    QUERYKIN_WORKSPACE=/data/workspace
RUN mkdir -p /data /var/cache/querykin && chown 10001:10001 /data /var/cache/querykin
USER 10001:10001
# Compiles the kernels as the user that runs them: numba caches only where it can write.
RUN querykin warm --quiet
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["querykin"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
