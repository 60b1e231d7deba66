/** Records whose every part carries one version, so that a graph of two versions, or a part of one, shows. */

import { prefixes } from '../../support/repository.ts'
import { absent } from './history.ts'

const xsd = 'http://www.w3.org/2001/XMLSchema#'
/** Now and then a graph that no store takes in one statement. */
const parts = (version: number) => (version % 41 === 0 ? 1300 : 30)

/** Values that stores like to spell in their own way. */
const delicate = (version: number) => [
  `"Version ${version}"@de-ch`,
  `"0${version}.50"^^<${xsd}decimal>`,
  `"P${version}D"^^<${xsd}duration>`,
]

/** The statements about one dataset; `subject` is `<>` in a body of its own. */
export function statements(subject: string, id: string, version: number): string {
  const relations = Array.from({ length: parts(version) }, (_, n) => `<urn:part:${n}:${version}>`)
  return `${subject} a dcat:Dataset ; dct:identifier "${id}" ; dct:title "${id}" ;
    dct:alternative ${delicate(version).join(', ')} ; dct:relation ${relations.join(', ')} .`
}

export const body = (id: string, version: number): string =>
  prefixes + statements('<>', id, version)

export const versionsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/urn:part:\d+:(\d+)/g)].map((match) => match[1] ?? '')),
]

/** The version that N-Triples hold whole and as they were sent, or what is wrong with them. */
function contentOf(ntriples: string): string {
  const versions = versionsIn(ntriples)
  const [version = ''] = versions
  if (versions.length !== 1) return `a mixture of versions ${versions.join(', ')}`
  const found = ntriples.match(/urn:part:/g)?.length ?? 0
  const wanted = parts(Number(version))
  if (found !== wanted) return `${found} of ${wanted} parts of version ${version}`
  const changed = delicate(Number(version)).filter((value) => !ntriples.includes(` ${value} .`))
  return changed.length > 0 ? `version ${version} without ${changed.join(', ')}` : version
}

/** The content behind an answer to GET; `undefined` when the platform could not say. */
export async function contentIn(answer: Response): Promise<string | undefined> {
  const text = await answer.text()
  if (answer.status === 404 || answer.status === 410) return absent
  return answer.status === 200 ? contentOf(text) : undefined
}

/** A record that many writers add to, each its own mark. */
export const tally = (id: string, marks: readonly string[]): string =>
  `${prefixes}<> a dcat:Dataset ; dct:identifier "${id}" ; dct:title "${id}" ;
    dct:relation <urn:tally:start>${marks.map((mark) => `, <urn:tally:${mark}>`).join('')} .`

export const marksIn = (text: string): string[] =>
  [...text.matchAll(/urn:tally:(\d+)/g)].map((match) => match[1] ?? '')
