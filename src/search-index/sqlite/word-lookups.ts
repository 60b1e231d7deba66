/** Lookups of word forms in the dictionaries of the index file: `term`, `stem` and `mirror`. */

import {
  type Affixes,
  type Lookup,
  type Lookups,
  maxAffixTokens,
  maxRoots,
  type Row,
} from '../word-forms.ts'
import { mirrored } from '../compounds.ts'
import type { GenerationView } from './view.ts'

type Sql = GenerationView['sql']

/** Values of a parameter that is a JSON list. */
const listed = '(SELECT value FROM json_each(?))'

/** Runs lookups on a connection and returns their result. */
export function lookUp<Result>(lookups: Lookups<Result>, sql: Sql): Result {
  for (let step = lookups.next(); ; step = lookups.next(rowsOf(step.value, sql)))
    if (step.done) return step.value
}

/** Languages of which the dictionary has stems, by one seek for each. */
export function stemLanguages(sql: Sql): ReadonlySet<string> {
  // A stem begins with its language and a colon, which the semicolon follows in the order of the index.
  const query = `WITH RECURSIVE found(stem) AS (
    SELECT min(stem) FROM stem
    UNION ALL
    SELECT (SELECT min(stem) FROM stem WHERE stem >= substr(found.stem, 1, instr(found.stem, ':') - 1) || ';')
    FROM found WHERE found.stem IS NOT NULL)
    SELECT substr(stem, 1, instr(stem, ':') - 1) AS language FROM found WHERE stem IS NOT NULL`
  return new Set(
    sql(query)
      .all()
      .map(({ language }) => String(language)),
  )
}

function rowsOf(lookup: Lookup, sql: Sql): readonly Row[] {
  switch (lookup.kind) {
    case 'tokens':
      return sql(`SELECT term AS token, bucket FROM term WHERE term IN ${listed}`)
        .all(JSON.stringify(lookup.tokens))
        .map(({ token, bucket }) => ({ token: String(token), bucket: String(bucket) }))
    case 'stems':
      return rowsWithStems(lookup.stems, sql)
    case 'longer': {
      const { token: text, more } = lookup
      const query = `SELECT term AS token, bucket FROM term WHERE term >= ? AND term < ?
        AND length(term) = length(?) + ? LIMIT ${maxAffixTokens}`
      return sql(query)
        .all(text, `${text}\u{10ffff}`, text, more)
        .map(({ token, bucket }) => ({ token: String(token), bucket: String(bucket) }))
    }
    case 'beginning':
      return rowsWithAffixes(lookup.affixes, (text, buckets) => {
        const query = `SELECT term AS text, bucket FROM term WHERE term >= ? AND term < ?
          AND bucket IN ${listed} LIMIT ${maxAffixTokens}`
        return sql(query).all(text, `${text}\u{10ffff}`, buckets)
      })
    case 'end':
      return rowsWithAffixes(lookup.affixes, (text, buckets) => {
        const query = `SELECT mirror AS text, bucket FROM mirror WHERE mirror >= ? AND mirror < ?
          AND bucket IN ${listed} LIMIT ${maxAffixTokens}`
        const backwards = mirrored(text)
        return sql(query).all(backwards, `${backwards}\u{10ffff}`, buckets)
      }).map(({ token, bucket }) => ({ token: mirrored(token), bucket }))
    default:
      return lookup satisfies never
  }
}

function rowsWithStems(stems: readonly string[], sql: Sql): readonly Row[] {
  const query = `SELECT stem, term FROM stem WHERE stem IN ${listed} LIMIT ?`
  return sql(query)
    .all(JSON.stringify(stems), stems.length * maxRoots)
    .map((row) => {
      // A stem in the dictionary begins with its language, as `en:river`.
      const stem = String(row['stem'])
      return { stem, bucket: stem.split(':', 1)[0] ?? '', token: String(row['term']) }
    })
}

function rowsWithAffixes(
  affixes: Affixes,
  select: (text: string, buckets: string) => ReturnType<ReturnType<Sql>['all']>,
): readonly Row[] {
  return [...affixes].flatMap(([text, buckets]) =>
    select(text, JSON.stringify([...buckets])).map((row) => ({
      token: String(row['text']),
      bucket: String(row['bucket']),
    })),
  )
}
