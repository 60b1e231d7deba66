/** From packages to what the importer offers: which are datasets for us, under which ids. */
import type { Found } from './found.ts'
import { plainText, type Fields } from '../../vocabularies/loose-values.ts'
import { type Entry, foundEntry, lasting } from './entry.ts'
import { isMarkedPrivate, mappedPackage, type Portal } from './ckan-mapping.ts'

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
    skipped: reasonToSkip(fields, portal),
    lasting: lasting(fields, volatile),
    map: () => mappedPackage(fields, portal),
  }
}

function reasonToSkip(fields: Fields, { config, isDkan }: Portal): string | undefined {
  const { state, type } = fields
  const { types } = config
  if (typeof state === 'string' && state.toLowerCase() !== 'active') return `state ${state}`
  // DKAN 1 marks what it shows to everybody; only somebody who logged in sees what is private.
  const isHidden = isDkan !== true || hasCredentials(config)
  if (isHidden && isMarkedPrivate(fields)) return 'private'
  const isOther =
    types && typeof type === 'string' && type !== '' && !types.includes(type.toLowerCase())
  return isOther ? `type ${type}` : undefined
}

const hasCredentials = ({ auth, apikey, auth_key: authKey }: Portal['config']) =>
  auth !== undefined || apikey !== undefined || authKey !== undefined
