/** Explanation of the place of a hit, for the parameter `explain`: which words of the query its texts have, in which form and where. */

import { idField, searchedFieldsOf } from '../search-index/field-reach.ts'
import type { TextSettings } from '../search-index/index-settings.ts'
import type { Leaf, Term } from '../search-index/query-tree.ts'
import { neighboursOf, rankingUnits, titleField } from '../search-index/scoring.ts'
import type { SearchRequest } from '../search-index/search-index.ts'
import { hasPhraseOf, type TokenisedValue } from '../search-index/text-scores.ts'
import { wildMatcher } from '../search-index/wildcard.ts'
import type { Target } from '../search-index/word-forms.ts'
import { type Fields, isJsonObject, listed } from '../text/json.ts'
import { bucketOf, indexedLanguages } from '../text/language.ts'
import { tokenOf, words } from '../text/tokens.ts'
import { valuesAtPath } from './record-values.ts'

/** Most forms of a word that are named, most values of a record that are read, and most characters of one. */
const [mostForms, mostValues, mostCharacters] = [5, 1_000, 20_000]

/** Value of a record: `place` names its field and language, `written` has its words in lower case, one for each token. */
type Value = TokenisedValue & { readonly place: string; readonly written: readonly string[] }

/** Form of a word of the query that a record has. */
type FoundForm = {
  readonly word: string
  /** Word or words of the record, in lower case. */
  readonly as: string
  readonly how: Target['how']
  /** Fields that have it, with their language if it is known. */
  readonly in: readonly string[]
  readonly share: number
}

/** Query, the forms of its words, and the settings and closeness of a record. */
type Explained = {
  readonly request: Pick<SearchRequest, 'tree' | 'fields' | 'typed'>
  readonly texts: TextSettings['texts']
  readonly forms: ReadonlyMap<Term, readonly Target[]>
  /** As in `Hit`. */
  readonly closeness?: number | undefined
}

/** Why a record is a hit. */
type Explanation = {
  readonly words: readonly FoundForm[]
  /** Number of neighbouring words of the query that are side by side in the record. */
  readonly side: number
  /** Whether the query is a title of the record. */
  readonly title: boolean
  /** Closeness in meaning as in `Hit`, to two decimal places. */
  readonly meaning?: number
}

/** Explains why a record is a hit, by all its texts. */
export function explanationOf(
  record: Fields,
  { request, texts, forms, closeness }: Explained,
): Explanation {
  const fields = [...new Set([idField, ...texts.map(({ name }) => name)])]
  const values = valuesOf(record, fields)
  const units = rankingUnits(request.tree)
  const placesOf = ({ field }: Leaf) => {
    const names = field === undefined ? request.fields : [field]
    return names
      ? names.flatMap((name) => searchedFieldsOf(name, fields, indexedLanguages))
      : fields.map((name) => ({ field: name }))
  }
  const found = units.flatMap((unit) => {
    const reached = new Set(placesOf(unit).map(({ field }) => field))
    return formsIn(
      values.filter(({ field }) => reached.has(field)),
      unit,
      forms,
    )
  })
  const pairs = neighboursOf(units).filter((pair) => {
    const phrases = pair.kind === 'phrase' ? [{ tokens: pair.tokens, share: 1 }] : []
    return hasPhraseOf(values, { fields: placesOf(pair), phrases })
  })
  const typed = request.typed?.join(' ')
  const isTitle = values.some(
    ({ field, tokens }) => field === titleField && tokens.join(' ') === typed,
  )
  const meaning = closeness === undefined ? {} : { meaning: Math.round(closeness * 100) / 100 }
  return { words: found, side: pairs.length, title: isTitle, ...meaning }
}

/** Forms of a unit that some values have, those that count most first. */
function formsIn(
  values: readonly Value[],
  unit: Leaf,
  forms: Explained['forms'],
): readonly FoundForm[] {
  const targetsAt = targetFinder(unit, forms)
  const found = new Map<string, FoundForm>()
  for (const { place, bucket, tokens, written } of values)
    for (const [start, token] of tokens.entries())
      for (const target of targetsAt(token)) {
        const { length } = target.tokens
        if (bucket !== '' && target.bucket !== '' && target.bucket !== bucket) continue
        if (!target.tokens.every((each, i) => tokens[start + i] === each)) continue
        const key = target.tokens.join(' ')
        const { how, share } = target
        const { as = written.slice(start, start + length).join(' '), in: places = [] } =
          found.get(key) ?? {}
        const all = [...new Set([...places, place])]
        found.set(key, { word: wordOf(unit), as, how, in: all, share })
      }
  return [...found.values()].toSorted((a, b) => b.share - a.share).slice(0, mostForms)
}

/** Makes a function that returns the targets of a unit that begin with a token. */
function targetFinder(unit: Leaf, forms: Explained['forms']): (token: string) => readonly Target[] {
  const typed = (tokens: readonly string[]): readonly Target[] => [
    { bucket: '', tokens, share: 1, how: 'word' },
  ]
  if (unit.kind === 'wild' || unit.kind === 'prefix') {
    const matches = wildMatcher(unit.kind === 'wild' ? unit.pattern : `${unit.token}*`)
    return (token) => (matches(token) ? typed([token]) : [])
  }
  const targets =
    unit.kind === 'term'
      ? (forms.get(unit) ?? [])
      : typed(unit.kind === 'phrase' ? unit.tokens : [unit.token])
  const byToken = Map.groupBy(targets, ({ tokens }) => tokens[0] ?? '')
  return (token) => byToken.get(token) ?? []
}

/** Word of the query as it was typed, as far as a leaf shows it. */
function wordOf(unit: Leaf): string {
  if (unit.kind === 'phrase') return unit.tokens.join(' ')
  return unit.kind === 'wild' ? unit.pattern : (unit.kind === 'term' && unit.typed) || unit.token
}

/** Values of the full-text fields of a record. */
const valuesOf = (record: Fields, fields: readonly string[]): readonly Value[] =>
  fields
    .flatMap((field) => valuesAtPath(record, field).flatMap((value) => [...textsIn(value, field)]))
    .slice(0, mostValues)
    .map(({ field, language, text }) => {
      const all = words(text.slice(0, mostCharacters))
        .map((word) => ({ token: tokenOf(word), written: word.toLowerCase() }))
        .filter(({ token }) => token !== '')
      return {
        field,
        bucket: language === undefined ? '' : bucketOf(language, indexedLanguages),
        place: language === undefined ? field : `${field}.${language}`,
        tokens: all.map(({ token }) => token),
        written: all.map(({ written }) => written),
      }
    })

type Text = { readonly field: string; readonly language?: string; readonly text: string }

/** Members of objects whose texts are searched under the name of the object. */
const textMembers = ['label', 'name', 'name_translated', 'organisation_name']

/** Texts of a value: plain ones, those of a language map, and those of the label or name of an object. */
function* textsIn(value: unknown, field: string, language?: string): Generator<Text> {
  if (typeof value === 'string') yield { field, text: value, ...(language && { language }) }
  if (!isJsonObject(value)) return
  const members = textMembers.filter((name) => Object.hasOwn(value, name))
  const own = typeof value['language'] === 'string' ? value['language'] : language
  for (const name of members) yield* textsIn(value[name], field, own)
  if (members.length > 0) return
  for (const [key, texts] of Object.entries(value))
    for (const text of listed(texts)) if (typeof text === 'string') yield* textsIn(text, field, key)
}
