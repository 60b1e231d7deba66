/** Hashes a text to an integer, so that large sets and indexes of ids contain numbers instead of texts. */

/** 53-bit hash by two 32-bit multiplicative hashes; collisions are unlikely. */
export function keyHash(text: string): number {
  let high = 0x9e37_79b9
  let low = 0x85eb_ca6b
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x0100_0193)
    low = Math.imul(low ^ unit, 0x5bd1_e995)
    low ^= low >>> 15
  }
  high = Math.imul(high ^ (high >>> 16), 0x7feb_352d)
  low = Math.imul(low ^ (low >>> 13), 0x846c_a68b)
  return ((high ^ (high >>> 15)) >>> 0) * 0x20_0000 + ((low ^ (low >>> 16)) >>> 11)
}
