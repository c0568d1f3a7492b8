# The published images.
#
#   docker build --target web          -t seaplane/web .
#   docker build --target baggageclaim -t seaplane/baggageclaim .

FROM node:24-bookworm-slim AS source
WORKDIR /seaplane
COPY package.json package-lock.json .npmrc ./
COPY dev dev
COPY packages packages

# What web imports at run time and nothing else. Not `npm ci`: it refuses a lock file without the packages of every
# platform; what is in the lock file is installed as it says.
FROM source AS web-build
RUN npm install --no-save --ignore-scripts --omit=dev --workspace packages/web

# The browser application. Vite is needed for this alone.
FROM source AS browser-build
RUN npm install --no-save --ignore-scripts && node dev/browser/src/main.ts

FROM node:24-bookworm-slim AS web
WORKDIR /seaplane
COPY --from=web-build /seaplane/package.json ./
COPY --from=web-build /seaplane/node_modules node_modules
COPY --from=web-build /seaplane/packages packages
COPY --from=browser-build /seaplane/packages/browser/dist packages/browser/dist
# The embedded database refuses to run as root.
RUN install -d -o node -g node /var/lib/seaplane
USER node
ENV NODE_ENV=production SEAPLANE_HOST=0.0.0.0 SEAPLANE_DATA_DIR=/var/lib/seaplane
VOLUME /var/lib/seaplane
EXPOSE 8080
ENTRYPOINT ["node", "packages/web/src/main.ts"]

# Bun is one of the locked packages: npm installs the one for this processor.
FROM source AS baggageclaim-build
RUN npm install --no-save --ignore-scripts \
  && node_modules/@oven/bun-linux-*/bin/bun build --compile --minify --splitting --bytecode --format=esm \
    --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
    --outfile /baggageclaim packages/baggageclaim/src/main.ts \
  && cp "packages/supervisor/bin/linux-$(node -p process.arch)" /supervisor

# git, ssh and certificates are for the built-in resource types, which run from this image.
FROM debian:bookworm-slim AS baggageclaim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
COPY --from=baggageclaim-build /baggageclaim /usr/bin/baggageclaim
COPY --from=baggageclaim-build /supervisor /supervisor
COPY packages/baggageclaim/resource/action /opt/resource/action
RUN cd /opt/resource && ln -s action check && ln -s action in && ln -s action out
ENTRYPOINT ["/usr/bin/baggageclaim"]
