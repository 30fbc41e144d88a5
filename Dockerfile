# For docker build, podman build and buildah bud alike. The version in the label is that of
# CMakeLists.txt, which a build has to pass on:
#   docker build -t gjkd --build-arg VERSION="$(deploy/version.sh)" .
# CROSS=arm64 compiles for that architecture without emulation; deploy/image.sh then names it.
# Debian 13, because of libmicrohttpd 1.0: 0.9.75, Debian 12's, answers a bad Content-Length twice.
ARG DEBIAN=trixie-slim

FROM docker.io/library/debian:${DEBIAN} AS build
ARG CROSS=
WORKDIR /src
COPY deploy/install.sh deploy/install.sh
COPY deploy/packages deploy/packages
RUN deploy/install.sh deploy/packages/build && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -DGJKD_TESTS=OFF ${CROSS:+--toolchain deploy/$CROSS.cmake} \
    && cmake --build --preset release --target gjkd \
    && ${CROSS:+aarch64-linux-gnu-}strip --strip-debug build/release/server/gjkd \
    && deploy/closure.sh build/release/server/gjkd /image ${CROSS:+aarch64-linux-gnu} \
    && install -D -m 0644 LICENSE /image/usr/share/doc/gjkd/copyright \
    && mkdir /nothing

# Nothing but the daemon and the libraries it needs: no shell, no package manager.
FROM scratch
ARG VERSION=unknown
COPY --from=build /image/ /
# Where a volume for --data-dir finds its owner.
COPY --from=build --chown=65532:65532 /nothing/ /data/
USER 65532:65532
EXPOSE 8080
# Beyond loopback gjkd starts only when told how it is protected: GJKD_INSECURE=1
# says that whatever stands in front of the container does that.
ENV GJKD_LISTEN=0.0.0.0:8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["/usr/bin/gjkd", "--health-check"]
STOPSIGNAL SIGTERM
LABEL org.opencontainers.image.title="gjkd" \
      org.opencontainers.image.description="Collision queries over HTTP: detect, distance and ray casts between convex shapes in 2D and 3D" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="MIT"
ENTRYPOINT ["/usr/bin/gjkd"]
