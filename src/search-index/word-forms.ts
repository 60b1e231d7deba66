/**
 * Other forms of the words of a query (`reference/relevance.md` 3): words with the same stem, other spellings, compounds, the
 * parts of unknown compounds, and synonyms. Which of them exist is known to the dictionary of an engine: a generator yields lookups, and the
 * engine answers each with rows.
 */

import { stems } from '../text/stems.ts'
import {
  type CompoundSplit,
  compoundRule,
  compoundingLanguages,
  hasLetters,
  splitsOf,
} from './compounds.ts'
import type { Synonym, Term } from './query-tree.ts'
import { transcriptionsOf } from './transcriptions.ts'

/** Relations of targets to the word of the query. */
export const formKinds = [
  'word',
  'root',
  'joined',
  'split',
  'transcribed',
  'part',
  'synonym',
  'instead',
] as const
type FormKind = (typeof formKinds)[number]

/**
 * Token, or phrase of several, that a word of a query matches in one language bucket. `share`: part of an occurrence that counts for
 * relevance.
 */
export type Target = {
  readonly bucket: string
  readonly tokens: readonly string[]
  readonly share: number
  readonly how: FormKind
}

/** Beginnings or ends of tokens, each with the buckets to look in. */
export type Affixes = ReadonlyMap<string, ReadonlySet<string>>

/** Question to the dictionary of tokens; the answer has one row for each token and bucket (and stem). */
export type Lookup =
  | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
  /** Words by stem; stems begin with their language, as `en:river`. */
  | { readonly kind: 'stems'; readonly stems: readonly string[] }
  /** Tokens that begin with `token` and have `more` code points more; at most `maxAffixTokens`. */
  | { readonly kind: 'longer'; readonly token: string; readonly more: number }
  /** Tokens that begin, or end, with one of the texts; at most `maxAffixTokens` for each text. */
  | { readonly kind: 'beginning' | 'end'; readonly affixes: Affixes }

/** Token of the dictionary; `stem` in the answer to a lookup of stems. */
export type Row = { readonly token: string; readonly bucket: string; readonly stem?: string }

/** Generator that yields lookups, takes their rows, and returns the result. */
export type Lookups<Result> = Generator<Lookup, Result, readonly Row[]>

/** Most tokens that a lookup returns for a beginning or an end. */
export const maxAffixTokens = 2_000
/** Most words with a common stem in one bucket. */
export const maxRoots = 1_024
/** Most words for a piece of a punctuated word, and most phrases of pieces, in one bucket. */
const [maxPieceWords, maxPiecePhrases] = [8, 32]
/** Most forms of a word, the shortest, that compounds begin or end with in one bucket. */
const maxForms = 64
/** Least letters of such a form, and of one that is a bare stem. */
const [shortestForm, shortestStem] = [3, 4]
/** Shares of the kinds of targets. */
const shares = {
  whole: 1,
  punctuated: 1.5,
  transcribed: 0.9,
  synonym: 0.8,
  compound: 0.5,
  half: 0.3,
  instead: 0.5,
  longer: 0.5,
} as const

/** Targets of a word in the buckets of `languages` and in that of other languages; those that rank first come first. */
export function* wordForms(term: Term, languages: readonly string[]): Lookups<readonly Target[]> {
  if (term.instead) return yield* nearWords(term.instead)
  const words = yield* spelledWords(term, languages)
  const others = [...(yield* phraseTargets(term, languages)), ...(yield* longerWords(term))]
  if (!term.parts) return distinct([...words, ...others])
  const compounds = yield* compoundsOf(term, words, languages)
  const all = [...words, ...others, ...compounds]
  return distinct(all.length > 0 ? all : yield* splitsOfUnknown(term.token, languages))
}

/** Tokens in place of a word that has no target. */
function* nearWords(tokens: readonly string[]): Lookups<readonly Target[]> {
  const rows = yield { kind: 'tokens', tokens }
  return rows.map(({ bucket, token }): Target => {
    return { bucket, tokens: [token], share: shares.instead, how: 'instead' }
  })
}

/** Words that a word matches if the question marks after it are wildcards. */
function* longerWords({ token, marks = 0 }: Term): Lookups<readonly Target[]> {
  if (marks === 0) return []
  const rows = yield { kind: 'longer', token, more: marks }
  return rows.map(({ bucket, token: longer }): Target => {
    return { bucket, tokens: [longer], share: shares.longer, how: 'word' }
  })
}

/** The first target for each phrase in each bucket. */
function distinct(targets: readonly Target[]): readonly Target[] {
  const byPhrase = new Map<string, Target>()
  for (const target of targets) {
    const phrase = `${target.bucket} ${target.tokens.join(' ')}`
    if (!byPhrase.has(phrase)) byPhrase.set(phrase, target)
  }
  return [...byPhrase.values()]
}

/** Spelling of a word, in some languages or in all. */
type Spelling = {
  readonly token: string
  /** The spelling with its accents, from which stems are taken. */
  readonly written?: string
  readonly how: FormKind
  readonly share: number
  readonly buckets?: readonly string[]
}

/** The word in each bucket, words with the same stem, transcriptions, and the word joined with a neighbour. */
function* spelledWords(
  { token, typed, joined = [] }: Term,
  languages: readonly string[],
): Lookups<readonly Target[]> {
  const transcriptions = transcriptionsOf(token, typed)
  const spellings: readonly Spelling[] = [
    { token, written: typed, how: 'word', share: shares.whole },
    ...joined.map((both) => ({ token: both, how: 'joined', share: shares.whole }) as const),
    ...transcriptions.map(({ token: transcription, languages: buckets }) => {
      const share = shares.transcribed
      return { token: transcription, how: 'transcribed', share, buckets } as const
    }),
  ]
  const known = yield { kind: 'tokens', tokens: spellings.map((spelling) => spelling.token) }
  const isKnown = new Set(known.map((row) => row.token))
  const used = spellings.filter(
    ({ how, token: spelled }) => how !== 'joined' || isKnown.has(spelled),
  )
  const stemmed = used.map((spelling) => {
    const { token: spelled, written = spelled, buckets = languages } = spelling
    const searched = buckets.filter((bucket) => languages.includes(bucket))
    return { ...spelling, stems: searched.flatMap((bucket) => stems(bucket, written)) }
  })
  const byStem = yield* rowsByStem(stemmed.flatMap((spelling) => spelling.stems))
  return stemmed.flatMap((spelling) => {
    const { how, share, buckets } = spelling
    const own = known.filter(
      (row) => row.token === spelling.token && (buckets?.includes(row.bucket) ?? true),
    )
    const roots = spelling.stems.flatMap((stem) => byStem.get(stem) ?? [])
    const rootKind = how === 'word' ? 'root' : how
    return [
      ...own.map((row): Target => ({ bucket: row.bucket, tokens: [row.token], share, how })),
      ...roots.map((row): Target => ({
        bucket: row.bucket,
        tokens: [row.token],
        share,
        how: rootKind,
      })),
    ]
  })
}

/** Words of the dictionary by stem, at most `maxRoots` for each. */
function* rowsByStem(wanted: readonly string[]): Lookups<ReadonlyMap<string, readonly Row[]>> {
  const distinctStems = [...new Set(wanted)]
  if (distinctStems.length === 0) return new Map()
  const rows = yield { kind: 'stems', stems: distinctStems }
  const byStem = Map.groupBy(rows, (row) => row.stem ?? '')
  return new Map([...byStem].map(([stem, some]) => [stem, some.slice(0, maxRoots)]))
}

/** Words by bucket that are, or have the stem of, each of some words. */
function* wordsByBucket(
  words: readonly string[],
  languages: readonly string[],
): Lookups<readonly ReadonlyMap<string, readonly string[]>[]> {
  const known = yield { kind: 'tokens', tokens: words }
  const stemmed = words.map((word) => {
    return { word, stems: languages.flatMap((language) => stems(language, word)) }
  })
  const byStem = yield* rowsByStem(stemmed.flatMap((some) => some.stems))
  return stemmed.map(({ word, stems: own }) => {
    const rows = [
      ...known.filter((row) => row.token === word),
      ...own.flatMap((stem) => byStem.get(stem) ?? []),
    ]
    const byBucket = Map.groupBy(rows, (row) => row.bucket)
    return new Map(
      [...byBucket].map(([bucket, some]) => [bucket, [...new Set(some.map((row) => row.token))]]),
    )
  })
}

/** Phrases of the pieces of a punctuated word, and synonyms, each of their words in any form. */
function* phraseTargets(
  { pieces, synonyms = [] }: Term,
  languages: readonly string[],
): Lookups<readonly Target[]> {
  const { punctuated: ofPieces, synonym: ofSynonyms } = shares
  const texts: readonly (Synonym & Pick<Target, 'share' | 'how'>)[] = [
    ...(pieces ? [{ tokens: pieces, share: ofPieces, how: 'word' } as const] : []),
    ...synonyms.map((synonym) => ({ ...synonym, share: ofSynonyms, how: 'synonym' }) as const),
  ]
  if (texts.length === 0) return []
  const distinctWords = [...new Set(texts.flatMap(({ tokens }) => tokens))]
  const forms = yield* wordsByBucket(distinctWords, languages)
  const formsOf = new Map(distinctWords.map((word, i) => [word, forms[i]]))
  return texts.flatMap(({ tokens: words, bucket: only, ...rest }) => {
    const buckets = [...(formsOf.get(words[0] ?? '')?.keys() ?? [])]
    return buckets
      .filter((bucket) => only === undefined || bucket === only)
      .flatMap((bucket) =>
        phrasesOf(words.map((word) => formsOf.get(word)?.get(bucket) ?? [])).map(
          (tokens): Target => ({ bucket, tokens, ...rest }),
        ),
      )
  })
}

/** Phrases of one of the forms of each word, at most `maxPiecePhrases`. */
const phrasesOf = (forms: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  forms.reduce<readonly (readonly string[])[]>(
    (begun, words) =>
      begun
        .flatMap((tokens) => words.slice(0, maxPieceWords).map((word) => [...tokens, word]))
        .slice(0, maxPiecePhrases),
    [[]],
  )

/** Compounds that begin or end with a form of the word, shortest first. */
function* compoundsOf(
  term: Term,
  words: readonly Target[],
  languages: readonly string[],
): Lookups<readonly Target[]> {
  const forms = compoundForms(term, words, languages)
  const beginnings = yield { kind: 'beginning', affixes: affixesOf(forms, isBegunBy) }
  const ends = yield { kind: 'end', affixes: affixesOf(forms, isEndedBy) }
  const rules = [...beginnings, ...ends].flatMap((row) => {
    const rule = compoundRule(row.token, forms.get(row.bucket) ?? new Set())
    return rule ? [{ ...row, ...rule }] : []
  })
  const undecided = rules.filter(({ isCertain }) => !isCertain)
  const known = yield* knownWords(
    undecided.flatMap(({ bucket, rests }) => rests.map((rest) => ({ bucket, token: rest }))),
  )
  return rules
    .filter(
      ({ isCertain, bucket, rests }) => isCertain || rests.some((rest) => known(bucket, rest)),
    )
    .sort((a, b) => a.token.length - b.token.length)
    .map((row): Target => {
      return { bucket: row.bucket, tokens: [row.token], share: shares.compound, how: 'part' }
    })
}

/** Texts by compounding language that compounds with a word may begin or end with. */
function compoundForms(
  { token, typed = token }: Term,
  words: readonly Target[],
  languages: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const compounding = languages.filter((language) => compoundingLanguages.has(language))
  return new Map(
    compounding.map((language) => {
      const bareStems = stems(language, typed).map((stem) => stem.slice(language.length + 1))
      const forms = [
        token,
        ...words.flatMap(({ bucket, tokens }) => (bucket === language ? tokens : [])),
        ...bareStems.filter((stem) => stem.length >= shortestStem),
      ]
      const usable = forms.filter((form) => hasLetters(form, shortestForm))
      const shortest = usable.sort((a, b) => a.length - b.length).slice(0, maxForms)
      return [language, new Set(shortest)]
    }),
  )
}

const isBegunBy = (form: string, shorter: string) => form.startsWith(shorter)
const isEndedBy = (form: string, shorter: string) => form.endsWith(shorter)

/** Forms with their buckets, without those that a shorter form of the bucket makes superfluous. */
function affixesOf(
  forms: ReadonlyMap<string, ReadonlySet<string>>,
  includes: (form: string, shorter: string) => boolean,
): Affixes {
  const affixes = new Map<string, Set<string>>()
  for (const [bucket, texts] of forms)
    for (const text of texts) {
      const isIncluded = [...texts].some((other) => other !== text && includes(text, other))
      if (!isIncluded) affixes.set(text, (affixes.get(text) ?? new Set()).add(bucket))
    }
  return affixes
}

/** Looks up words; the result tells whether a bucket has a word, or another one with its stem. */
function* knownWords(words: readonly Row[]): Lookups<(bucket: string, word: string) => boolean> {
  if (words.length === 0) return () => false
  const nameOf = (bucket: string, word: string) => `${bucket} ${word}`
  const tokens = [...new Set(words.map((row) => row.token))]
  const rows = yield { kind: 'tokens', tokens }
  const known = new Set(rows.map((row) => nameOf(row.bucket, row.token)))
  const others = words.filter((row) => !known.has(nameOf(row.bucket, row.token)))
  const byStem = yield* rowsByStem(others.flatMap((row) => stems(row.bucket, row.token)))
  for (const { bucket, token } of others)
    if (stems(bucket, token).some((stem) => byStem.has(stem))) known.add(nameOf(bucket, token))
  return (bucket, word) => known.has(nameOf(bucket, word))
}

/** A word without targets as two words (`daycare`, `day care`), and the parts of a compound, each in any form. */
function* splitsOfUnknown(token: string, languages: readonly string[]): Lookups<readonly Target[]> {
  const { phrases, compounds } = splitsOf(token)
  const halves = [...new Set(phrases.flat())]
  if (halves.length === 0) return []
  const rows = yield { kind: 'tokens', tokens: halves }
  const bucketsOf = (half: string) =>
    rows.flatMap((row) => (row.token === half ? [row.bucket] : []))
  const split = phrases.flatMap(([first, second]) => {
    const buckets = bucketsOf(first).filter((bucket) => bucketsOf(second).includes(bucket))
    const share = shares.whole
    return buckets.map((bucket): Target => ({
      bucket,
      tokens: [first, second],
      share,
      how: 'split',
    }))
  })
  return [...split, ...(yield* partsOfCompound(compounds, languages))]
}

/** Words of the parts of an unknown compound: of the split with the longest last part of which both parts are known. */
function* partsOfCompound(
  splits: readonly CompoundSplit[],
  languages: readonly string[],
): Lookups<readonly Target[]> {
  const compounding = languages.filter((language) => compoundingLanguages.has(language))
  const parts = [...new Set(splits.flatMap(({ firsts, last }) => [...firsts, last]))]
  if (parts.length === 0 || compounding.length === 0) return []
  const words = yield* wordsByBucket(parts, compounding)
  const wordsOf = new Map(parts.map((part, i) => [part, words[i]]))
  return compounding.flatMap((bucket) => {
    const inBucket = (part: string) => wordsOf.get(part)?.get(bucket) ?? []
    for (const { firsts, last } of splits) {
      const [first, second] = [firsts.map(inBucket).find((some) => some.length > 0), inBucket(last)]
      if (first && second.length > 0)
        return [...first, ...second].map((token): Target => {
          return { bucket, tokens: [token], share: shares.half, how: 'part' }
        })
    }
    return []
  })
}
