/** Packages one by one, by the names that the portal lists. */
import type { Found } from '../../found.ts'
import type { Source } from '../../source.ts'
import { listOf } from '../../../../vocabularies/loose-values.ts'
import { action } from './action-api.ts'
import { packages } from './packages.ts'
import type { Portal } from './package/portal.ts'

export type Listing = {
  readonly list: readonly string[]
  /** Whether a package was met already. */
  readonly isKnown: (name: string) => boolean
  readonly portal: Portal
}

const perPage = 100

/** Names that are not there any more are gone; those that nobody may read are skipped. */
export async function* singly(
  source: Source,
  { list, isKnown, portal }: Listing,
): AsyncGenerator<Found, void> {
  let total = new Set(list).size
  yield { kind: 'total', total }
  let onPage = 0
  for (const name of new Set(list)) {
    if (isKnown(name)) continue
    const call = { root: portal.root, name: 'package_show', query: { id: name } }
    const answer = await action(source, call, { accepts: [403, 404], paged: false })
    if (answer.ok) yield* packages(listOf(answer.result), portal)
    else if (answer.status === 403) yield { kind: 'skipped', sourceId: name, reason: 'private' }
    else total -= 1
    onPage += 1
    if (onPage % perPage === 0) yield { kind: 'page' }
  }
  yield { kind: 'page' }
  yield { kind: 'total', total }
}
