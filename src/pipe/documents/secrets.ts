/** Secrets in the configs of a pipe: references that nobody configured, and literals that must not be shown. */

import type { Complaint } from '../../errors.ts'
import { type Secrets, unknownSecrets } from '../../secrets.ts'
import type { Resolution } from '../discovery.ts'
import type { Pipe, Segment } from '../document.ts'

/**
 * Makes the literals of a pipe known to the registry, and complains about references of our own segments that lead nowhere;
 * what a foreign segment calls a secret is its own business.
 */
export function secretCheck(
  resolve: (segment: Segment) => Resolution,
  secrets: Secrets,
): (pipe: Pipe) => readonly Complaint[] {
  return (pipe) =>
    pipe.body.segments.flatMap((segment, index) => {
      const found = unknownSecrets(segment.body.config, secrets)
      if (resolve(segment).kind !== 'built-in') return []
      return found.map(({ pointer = '', detail }) => ({
        pointer: `/body/segments/${index}/body/config${pointer}`,
        detail,
      }))
    })
}
