/** Hashes a text to an integer, so that a large spool is indexed by numbers instead of IRIs. */

/** 53-bit hash by two 32-bit multiplicative hashes; collisions are unlikely. */
export function keyHash(text: string): number {
  let one = 0x9e37_79b9
  let two = 0x85eb_ca6b
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x0100_0193)
    two = Math.imul(two ^ unit, 0x5bd1_e995)
    two ^= two >>> 15
  }
  one = Math.imul(one ^ (one >>> 16), 0x7feb_352d)
  two = Math.imul(two ^ (two >>> 13), 0x846c_a68b)
  return ((one ^ (one >>> 15)) >>> 0) * 0x20_0000 + ((two ^ (two >>> 16)) >>> 11)
}
