/** Vectors as indices and `vectors.db` store them: a byte for each component. */

/** Vector that a file stores as these bytes, which it shares. */
export const vectorOf = (bytes: Uint8Array): Int8Array =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)

/** Bytes of a vector, which it shares. */
export const bytesOf = (vector: Int8Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.length)

/** Whether a vector has no direction, so that it is not stored and nothing is near to it. */
export const isZero = (vector: Int8Array): boolean => vector.every((component) => component === 0)
