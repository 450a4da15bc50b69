# One image for the web server, Celery and the one-off commands; docker-compose.yml says who runs what.
ARG PYTHON=python:3.13-slim
FROM ${PYTHON} AS installed
WORKDIR /app
COPY requirements.txt requirements-s3.txt ./
RUN python -m venv /opt/ireval && /opt/ireval/bin/pip install --no-cache-dir --require-hashes -r requirements.txt -r requirements-s3.txt
COPY locale locale
COPY ireval_site/laptop/slim.py ireval_site/laptop/
RUN /opt/ireval/bin/python ireval_site/laptop/slim.py

FROM ${PYTHON}
RUN useradd --uid 10001 --create-home ireval && install --directory --owner ireval --mode 0700 /data
COPY --from=installed /opt/ireval /opt/ireval
WORKDIR /app
COPY . .
ENV PATH=/opt/ireval/bin:$PATH PYTHONUNBUFFERED=1 IREVAL_DATA=/data IREVAL_STATIC=/app/static
# The key is needed to read the settings, not to collect; the real one comes with the container's environment.
RUN SECRET_KEY=unused-while-the-image-is-being-built python manage.py collectstatic --no-input && python -m compileall -q /app
USER ireval
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "ireval_site.web", "--host", "0.0.0.0", "--port", "8000"]
