/** What a write can begin while the store is being asked for its id: neither needs the other. */

import { setImmediate } from 'node:timers/promises'
import { platformId } from '../../rdf/ids.ts'
import type { RepositoryDeps } from '../deps.ts'
import { prepareBody, type Ahead, type DatasetPut } from './dataset-plan.ts'
import type { KnownBodies } from './known-bodies.ts'

/** Characters of a body up to which it is read before anybody knows that it will be wanted. */
const small = 128 * 1024

/**
 * The body under the IRI that its dataset will most likely have, from the next turn on, and what is stored there when it was
 * written before; `undefined` for a body that is large, or known already. Failures are for the one who asks. To be called
 * under the lock of the write.
 */
export function readAhead(
  deps: RepositoryDeps & { readonly knownBodies: KnownBodies },
  request: DatasetPut,
  signal: AbortSignal,
): Ahead | undefined {
  const { originalId, body } = request
  if (body.length > small) return undefined
  const iri = deps.names.dataset(platformId(originalId))
  const known = { iri, originalId, fingerprint: body.fingerprint() }
  if (deps.knownBodies.hashOf(known) !== undefined) return undefined
  const prepared = whenAsked().then(() => prepareBody(deps, request, iri))
  const before = deps.knownBodies.has(iri) ? deps.store.read(iri, {}, signal) : undefined
  for (const begun of [prepared, before]) begun?.catch(() => undefined)
  return { iri, prepared, before }
}

/** The question goes out at the end of the next turn: it must not wait for us. */
async function whenAsked(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
