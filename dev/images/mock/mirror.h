#ifndef MOCK_MIRROR_H
#define MOCK_MIRROR_H

/*
 * Makes `destination` an image of the running container: `rootfs/` is a copy of `/`, `metadata.json` says how to run it.
 * tmp, dev, proc and sys are created empty, with the mode they have.
 */
void mirror_self(const char *destination, const char *version);

#endif
