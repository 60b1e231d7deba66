/** How a dataset is cited: a sentence, BibTeX, RIS and CSL-JSON. */

import { type Fields, listed, textAt } from '../text/json.ts'
import type { PageContext } from './context.ts'
import { listAt, textsAt } from './record.ts'

type Citation = ReturnType<typeof citationOf>

/** Its own identifiers, then those that others gave it. */
export const identifiersOf = (record: Fields): readonly string[] => [
  ...textsAt(record, 'identifier'),
  ...listAt(record, 'adms_identifier').flatMap(
    (one) => textAt(one, 'resource') ?? textAt(one, 'identifier') ?? [],
  ),
]

/** The DOI in an identifier: `10.1234/abc`. */
export const doiIn = (identifier: string): string | undefined =>
  /\b(10\.\d{4,9}\/\S+)$/.exec(identifier)?.[1]

/** Creators, else the publisher; the year of the last change, else of publication; a DOI where there is one. */
export function citationOf(context: PageContext, record: Fields) {
  const names = (value: unknown) => listed(value).flatMap((one) => context.nameOf(one) ?? [])
  const [creators, publishers] = [names(record['creator']), names(record['publisher'])]
  const [doi] = identifiersOf(record).flatMap((one) => doiIn(one) ?? [])
  const date = textAt(record, 'modified') ?? textAt(record, 'issued')
  return {
    id: textAt(record, 'id') ?? 'dataset',
    authors: creators.length > 0 ? creators : publishers,
    title: context.plainTitle(record),
    year: date?.slice(0, 4),
    version: textAt(record, 'version_info') ?? date?.slice(0, 10),
    publisher: publishers[0],
    doi,
    url:
      doi === undefined ? (textAt(record, 'resource') ?? context.root) : `https://doi.org/${doi}`,
  }
}

/** `Three Rivers Basin Authority (2026): Water levels. Version 2026-05-30. http://…` */
export function citationText({ t }: PageContext, citation: Citation): string {
  const { authors, year, title, version, url } = citation
  const who = authors.join('; ')
  const head = `${who}${year === undefined ? '' : ` (${year})`}${who === '' ? '' : ': '}${title}.`
  return `${head}${version === undefined ? '' : ` ${t('version')} ${version}.`} ${url}`
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Members of a citation by their names in BibTeX, with their tags in RIS. */
const tags = { title: 'TI', year: 'PY', version: 'ET', publisher: 'PB', doi: 'DO', url: 'UR' }

/** Those that are there, each on one line. */
const membersOf = (citation: Citation) =>
  Object.entries(tags).flatMap(([name, tag]) => {
    const value = textAt(citation, name)
    return value === undefined ? [] : [{ name, tag, value: oneLine(value) }]
  })

/** Without what BibTeX gives a meaning to. */
const escaped = (text: string): string =>
  text.replaceAll(/[\\{}]/g, '').replaceAll(/[&%$#_]/g, String.raw`\$&`)

function bibTex(citation: Citation): string {
  const authors = citation.authors.map((name) => `{${escaped(oneLine(name))}}`).join(' and ')
  const lines = membersOf(citation).map(({ name, value }) => {
    const text = name === 'doi' || name === 'url' ? value : escaped(value)
    // Twice in braces: a title keeps its capitals.
    return `  ${name} = {${name === 'title' ? `{${text}}` : text}}`
  })
  const all = authors === '' ? lines : [`  author = {${authors}}`, ...lines]
  return `@misc{${citation.id.replaceAll(/[^\w.-]/g, '-')},\n${all.join(',\n')}\n}\n`
}

function ris(citation: Citation): string {
  const authors = citation.authors.map((name) => ({ tag: 'AU', value: oneLine(name) }))
  const rows = [{ tag: 'TY', value: 'DATA' }, ...authors, ...membersOf(citation)]
  return [...rows, { tag: 'ER', value: '' }]
    .map(({ tag, value }) => `${tag}  - ${value}\r\n`)
    .join('')
}

const csl = ({ id, authors, year, title, version, publisher, url, doi }: Citation): string =>
  JSON.stringify([
    {
      id,
      type: 'dataset',
      title,
      author: authors.map((literal) => ({ literal })),
      ...(year !== undefined && { issued: { 'date-parts': [[Number(year)]] } }),
      version,
      publisher,
      URL: url,
      DOI: doi,
    },
  ])

/** Formats of a citation by the ending of their address. */
export const citationFormats: Readonly<
  Record<string, { readonly type: string; readonly write: (citation: Citation) => string }>
> = {
  bib: { type: 'application/x-bibtex; charset=utf-8', write: bibTex },
  ris: { type: 'application/x-research-info-systems; charset=utf-8', write: ris },
  json: { type: 'application/vnd.citationstyles.csl+json; charset=utf-8', write: csl },
}
