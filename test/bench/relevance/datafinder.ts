/** Texts and judged queries of DataFinder (`shared/data/relevance`) in a platform of its own. */

import { readFileSync } from 'node:fs'
import { client, eventually, type Gateway } from '../../support/gateway.ts'
import type { JudgedQuery } from '../../support/relevance.ts'
import { lanes } from '../figures.ts'

const folder = new URL('../../../../shared/data/relevance/datafinder/', import.meta.url).pathname
export const dataFinder = `${folder}documents.jsonl`

type DataFinderDocument = {
  readonly n: number
  readonly name: string
  readonly title: string
  readonly text: string
}
type DataFinderQuery = {
  readonly sentence: string
  readonly keyphrases: string
  readonly relevant: readonly number[]
}

const linesIn = (name: string): readonly unknown[] =>
  readFileSync(folder + name, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))

/** Words of a query: operators in lower case, everything but letters, digits and blanks replaced by a blank. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/\b(?:AND|OR|NOT)\b/g, (word) => word.toLowerCase())
    .replaceAll(/[^\p{L}\p{N} ]/gu, ' ')

/** Writes the documents as datasets and answers the judged queries: sentences, key phrases and known names. */
export async function fillWithDataFinder(platform: Gateway): Promise<readonly JudgedQuery[]> {
  const api = client(platform)
  const prefixes =
    '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n'
  await api.put('/catalogues/texts', `${prefixes}<> a dcat:Catalog ; dct:title "-"@en .`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of a known format
  const documents = linesIn('documents.jsonl') as readonly DataFinderDocument[]
  await lanes(documents.length, 8, async (at) => {
    const { n, name, title, text } = documents[at] ?? { n: at, name: '', title: '', text: '' }
    const literal = (value: string) => `${JSON.stringify(value)}@en`
    const body = `${prefixes}<urn:x:${n}> a dcat:Dataset ; dct:title ${literal(name)} ; dct:description ${literal(`${title}. ${text}`)} .`
    const answer = await api.putDataset('texts', `n${n}`, body)
    if (!answer.ok) throw new Error(`document ${n}: ${answer.status} ${await answer.text()}`)
  })
  const isIndexed = async () =>
    (await api.json<{ pending: number }>(`${platform.url}/health`)).pending === 0
  if (!(await eventually(isIndexed, 120_000))) throw new Error('the index did not follow')
  return queriesOver(documents)
}

function queriesOver(documents: readonly DataFinderDocument[]): readonly JudgedQuery[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of a known format
  const lines = linesIn('queries.jsonl') as readonly DataFinderQuery[]
  const judged = lines.flatMap(({ sentence, keyphrases, relevant }, at) => {
    const grades = Object.fromEntries(relevant.map((n) => [`n${n}`, 1]))
    return [
      { id: `sentence-${at}`, kind: 'sentence', q: wordsOf(sentence), relevant: grades },
      { id: `phrases-${at}`, kind: 'phrases', q: wordsOf(keyphrases), relevant: grades },
    ]
  })
  const known = documents
    .filter(({ n }) => n % 25 === 0)
    .map(({ n, name }) => ({
      id: `known-${n}`,
      kind: 'known',
      q: wordsOf(name),
      relevant: { [`n${n}`]: 1 },
    }))
  return [...judged, ...known].map((query) => ({ ...query, lang: 'en' }))
}
