/** Reads a body while the store is being asked for its id: the two take about as long, and neither needs the other. */

import { setImmediate } from 'node:timers/promises'
import { platformId } from '../../rdf/ids.ts'
import type { RepositoryDeps } from '../deps.ts'
import { prepareBody, type Ahead, type DatasetPut } from './dataset-plan.ts'
import type { KnownBodies } from './known-bodies.ts'

/** Characters of a body up to which it is read before anybody knows that it will be wanted. */
const small = 128 * 1024

/**
 * The body under the IRI that its dataset will most likely have, from the next turn on; `undefined` for one that is large, or
 * known already. Failures are for the one who asks for it.
 */
export function readAhead(
  deps: RepositoryDeps & { readonly knownBodies: KnownBodies },
  request: DatasetPut,
): Ahead | undefined {
  const { originalId, body } = request
  if (body.length > small) return undefined
  const iri = deps.names.dataset(platformId(originalId))
  const known = { iri, originalId, fingerprint: body.fingerprint() }
  if (deps.knownBodies.hashOf(known) !== undefined) return undefined
  const prepared = whenAsked().then(() => prepareBody(deps, request, iri))
  prepared.catch(() => undefined)
  return { iri, prepared }
}

/** The question goes out at the end of the next turn: it must not wait for us. */
async function whenAsked(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
