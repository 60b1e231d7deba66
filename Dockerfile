# The gateway: one process, its data in /data, everything else read-only.
# The digest is that of the index of all platforms; `docker buildx imagetools inspect node:24.21.0-bookworm-slim` shows the newest.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are the Node that the checkout brings along; the image has its own.
RUN npm ci --omit=dev --omit=optional
# For example --build-arg EXTRA_PACKAGES=@comunica/query-sparql@5.4.1: pipes that query RDF files and fragments need it.
ARG EXTRA_PACKAGES=""
RUN if [ -n "$EXTRA_PACKAGES" ]; then npm install --no-save --omit=dev --omit=optional $EXTRA_PACKAGES; fi

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production PLATFORM_HOST=0.0.0.0 PLATFORM_PORT=8080 PLATFORM_DATA_DIR=/data
# Two arenas serve its threads as well as sixteen, and what is free goes back to the system: 30 MB less.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=1000000
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY sparql sparql
COPY shapes shapes
COPY pipes pipes
RUN install -d -o 1000 -g 1000 -m 700 /data /app/node_modules/.cache
USER 1000:1000
# One start and one end, for nothing but what Node compiles: the image is read-only later, and brings it along.
RUN PLATFORM_DATA_DIR=/tmp/first node --import ./src/compile-cache.js --max-semi-space-size=4 --heap-growing-percent=20 --memory-saver-mode --optimize-for-size bin/cartulary.js start & \
  for second in $(seq 60); do sleep 1; \
    node -e "fetch('http://127.0.0.1:8080/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))" && break; \
  done; kill $! && wait $! && rm -r /tmp/first
LABEL org.opencontainers.image.title=Cartulary org.opencontainers.image.licenses=Apache-2.0
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# 503 until everything is ready, so a store that is being waited for is "starting", not "healthy".
HEALTHCHECK --interval=10s --timeout=5s --start-period=5m --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLATFORM_ADMIN_PORT || process.env.PLATFORM_PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--import", "./src/compile-cache.js", "--max-semi-space-size=4", "--heap-growing-percent=20", "--memory-saver-mode", "--optimize-for-size", "bin/cartulary.js"]
CMD ["start"]
