/** From packages to what the importer offers: which are datasets for us, under which ids. */
import type { Found } from '../../found.ts'
import { plainText, type Fields } from '../../mapping/values/json.ts'
import { foundEntry, type Entry } from '../documents/entry.ts'
import { lasting } from '../documents/lasting.ts'
import { mappedPackage } from './package/package.ts'
import type { Portal } from './package/portal.ts'

const volatile = new Set(['tracking_summary', 'num_views'])

export function* packages(values: readonly unknown[], portal: Portal): Generator<Found, void> {
  const read = (fields: Fields) => entryOf(fields, portal)
  for (const value of values) yield foundEntry(value, { output: portal.output, read })
}

function entryOf(fields: Fields, portal: Portal): Entry {
  const { root, config } = portal
  const id = plainText(fields['id']) ?? ''
  const name = plainText(fields['name']) ?? ''
  const [sourceId, alias] = config.identifier === 'id' ? [id, name] : [name, id]
  return {
    sourceId,
    aliases: [alias],
    sourceUrl: `${root}/dataset/${encodeURIComponent(name || id)}`,
    skipped: reasonToSkip(fields, config.types),
    lasting: lasting(fields, volatile),
    map: () => mappedPackage(fields, portal),
  }
}

function reasonToSkip(
  { state, private: isPrivate, type }: Fields,
  types: readonly string[] | undefined,
): string | undefined {
  if (typeof state === 'string' && state.toLowerCase() !== 'active') return `state ${state}`
  if (isPrivate === true || isPrivate === 'true') return 'private'
  const isOther =
    types && typeof type === 'string' && type !== '' && !types.includes(type.toLowerCase())
  return isOther ? `type ${type}` : undefined
}
