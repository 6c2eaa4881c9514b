"""OpenCV: 400x600x3 bytes to 64x64 gray floats, on one thread. Prints images a second.

    opencv_images.py plain|antialias SECONDS

plain: bilinear of two neighbours, then gray, which is faster; antialias: gray, then by area.
"""
import sys
import time

import cv2
import numpy as np

cv2.setNumThreads(1)
IMAGES = 32


def plain(image):
    small = cv2.resize(image, (64, 64), interpolation=cv2.INTER_LINEAR)
    return cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255


def antialias(image):
    gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return cv2.resize(gray, (64, 64), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def main():
    change, seconds = {"plain": plain, "antialias": antialias}[sys.argv[1]], float(sys.argv[2])
    images = np.random.default_rng(1).integers(0, 256, (IMAGES, 400, 600, 3), dtype=np.uint8)
    change(images[0])
    done, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        for image in images:
            change(image)
        done += IMAGES
    print(done / (time.monotonic() - begin))


if __name__ == "__main__":
    main()
