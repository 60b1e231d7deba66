# The gateway: one process, its data in /data, everything else read-only.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The optional packages are the Node that the checkout brings along; the image has its own.
RUN npm ci --omit=dev --omit=optional

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production PLATFORM_HOST=0.0.0.0 PLATFORM_PORT=8080 PLATFORM_DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY src src
COPY sparql sparql
COPY shapes shapes
COPY pipes pipes
RUN install -d -o 1000 -g 1000 -m 700 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# 503 until everything is ready, so a store that is being waited for is "starting", not "healthy".
HEALTHCHECK --interval=10s --timeout=5s --start-period=5m --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLATFORM_PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "src/main.ts"]
