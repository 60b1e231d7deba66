/** Of what kind the metadata of a catalogue is: decides what is measured. */

import { namedNode } from '../../rdf/terms.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'

const query = loadQuery('metrics/catalogue-type')

export type CatalogueTypes = (catalogue: string, signal: AbortSignal) => Promise<string | undefined>

/**
 * The `dct:type` of catalogues: a literal as it is, of an IRI its last part in lower case; `dcat-ap` before all others. Asked
 * once per catalogue.
 */
export function catalogueTypes(
  { store, names }: { readonly store: Pick<GraphStore, 'select'>; readonly names: Names },
  most = 10_000,
): CatalogueTypes {
  const known = new Map<string, Promise<string | undefined>>()
  return async (id, signal) => {
    const before = known.get(id)
    if (before) return before
    const rows = store.select(bind(query, { catalogue: namedNode(names.catalogue(id)) }), signal)
    const asked = rows.then((found) => {
      const types = found.flatMap(({ type }) => (type ? [plain(type.value)] : []))
      return types.find((type) => type === 'dcat-ap') ?? types[0]
    })
    if (known.size >= most) known.clear()
    known.set(id, asked)
    asked.catch(() => known.delete(id))
    return asked
  }
}

function plain(value: string): string {
  const text = value.trim()
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return text.toLowerCase()
  return (/[/#:]([^/#:]+)[/#]*$/.exec(text)?.[1] ?? text).toLowerCase()
}
