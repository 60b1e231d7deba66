/** What the portal's own metadata of an asset means: keys that the config names, and endings that many portals use. */
import { fieldsOf, listOf, saidText } from '../../../../vocabularies/loose-values.ts'
import type { Meaning } from './config.ts'

/** The texts that have a meaning, in the order of the source. */
export type Meanings = (meaning: Meaning) => readonly string[]

/** Keys are `{field set}_{field}` with hyphens for spaces. */
const usual: readonly (readonly [RegExp, Meaning])[] = [
  [/(?:update|posting|publishing|refresh)-frequency$/i, 'frequency'],
  [/(?:temporal-(?:applicability|coverage)|time-period|period-of-time)$/i, 'temporal'],
  [/(?:spatial|geographic(?:al)?)-(?:coverage|area)$/i, 'spatial'],
  [/(?:^|[_-])language$/i, 'language'],
  [/contact-email$/i, 'contactEmail'],
  [/contact-name$/i, 'contactName'],
  [/(?:^|_)publisher$/i, 'publisher'],
  [/(?:^|_)(?:license|licence)$/i, 'licence'],
  [/public-access-level$/i, 'accessRights'],
]

export function meaningsIn(
  metadata: unknown,
  configured: Readonly<Record<string, Meaning>>,
): Meanings {
  const own = new Map(Object.entries(configured))
  const told = Map.groupBy(
    listOf(metadata)
      .map(fieldsOf)
      .map(({ key, value }) => ({ key: saidText(key) ?? '', value: saidText(value) })),
    ({ key }) => own.get(key) ?? usual.find(([ending]) => ending.test(key))?.[1],
  )
  return (meaning) =>
    (told.get(meaning) ?? []).flatMap(({ value }) => (value === undefined ? [] : [value]))
}
