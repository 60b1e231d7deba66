/** `PLATFORM_IRI_SEGMENTS`: what stands between the base and the id in the IRIs of each kind of resource. */

import { z } from 'zod'
import { segmentKinds, usualSegments, type Segments } from '../../rdf/names.ts'
import { nearest } from './spelling.ts'

/** Path parts, each with its slash. None begins with a dot, so that what is well known (RFC 8615) stays apart. */
const pattern = /^(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*\/){1,8}$/

/** An object of kind → segment. None may be the beginning of another one, or an IRI would be of two kinds. */
export const segmentValues = z.record(z.string(), z.unknown()).transform((given, context) => {
  const taken: Partial<Record<keyof Segments, string>> = {}
  const refuse = (name: string, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message })
  for (const [name, value] of Object.entries(given)) {
    const kind = segmentKinds.find((one) => one === name)
    if (kind === undefined) refuse(name, notKnown(name))
    else if (typeof value === 'string' && pattern.test(value)) taken[kind] = value
    else refuse(name, 'must be a relative path that ends in a slash, such as "dataset/"')
  }
  const all = { ...usualSegments, ...taken }
  for (const one of segmentKinds) {
    const other = segmentKinds.find((two) => two !== one && all[two].startsWith(all[one]))
    if (other)
      refuse(one, `("${all[one]}") must not be the beginning of ${other} ("${all[other]}")`)
  }
  return taken
})

function notKnown(name: string): string {
  const close = nearest(name, segmentKinds)
  const meant =
    close === undefined ? `they are ${segmentKinds.join(', ')}` : `did you mean ${close}?`
  return `is no kind of resource (${meant})`
}
