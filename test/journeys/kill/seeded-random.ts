/** Chance that can be repeated. */

export type Random = () => number

/** 0 ≤ x < 1, the same sequence for the same seed. */
export function seededRandom(seed: number): Random {
  let value = seed
  return () => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    return value / 2_147_483_648
  }
}

/** A whole number from `low` to `high`, both included. */
export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1))
