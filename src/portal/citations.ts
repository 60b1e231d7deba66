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

/** On one line, without characters that end one. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/**
 * Creators, else the publisher; the year of the last change, else of publication; a DOI where there is one. The day stands for a
 * version that has no name: a year or month is none.
 */
export function citationOf(context: PageContext, record: Fields) {
  const names = (value: unknown) =>
    listed(value).flatMap((one) => oneLine(context.nameOf(one) ?? '') || [])
  const [creators, publishers] = [names(record['creator']), names(record['publisher'])]
  const [doi] = identifiersOf(record).flatMap((one) => doiIn(one) ?? [])
  const date = context.formats.isoDate(record['modified'] ?? record['issued'])
  const version = textAt(record, 'version_info') ?? (date?.length === 10 ? date : undefined)
  return {
    id: textAt(record, 'id') ?? 'dataset',
    authors: creators.length > 0 ? creators : publishers,
    title: oneLine(context.plainTitle(record)),
    year: date?.slice(0, 4),
    version: version === undefined ? undefined : oneLine(version),
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

/** Members of a citation by their names in BibTeX, with their tags in RIS. */
const tags = { title: 'TI', year: 'PY', version: 'ET', publisher: 'PB', doi: 'DO', url: 'UR' }

/** Those that are there. */
const membersOf = (citation: Citation) =>
  Object.entries(tags).flatMap(([name, tag]) => {
    const value = textAt(citation, name)
    return value === undefined ? [] : [{ name, tag, value }]
  })

/** What LaTeX gives a meaning to, or has no sign for in its oldest fonts. */
const latex: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '~': String.raw`\textasciitilde{}`,
  '^': String.raw`\textasciicircum{}`,
  '<': String.raw`\textless{}`,
  '>': String.raw`\textgreater{}`,
}
/** BibTeX counts braces also behind a backslash: single ones have names. */
const braces: Readonly<Record<string, string>> = {
  '{': String.raw`\textbraceleft{}`,
  '}': String.raw`\textbraceright{}`,
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const sign of text) {
    depth += sign === '{' ? 1 : sign === '}' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** Text that LaTeX prints as it is. */
function escaped(text: string): string {
  const single = isBalanced(text) ? {} : braces
  return text.replaceAll(/[\\{}&%$#_~^<>]/g, (sign) => latex[sign] ?? single[sign] ?? `\\${sign}`)
}

/** Addresses are taken as they are, so that nothing in them may end their field. */
const addressIn = (text: string): string => text.replaceAll(/[{}\\\s]/g, encodeURIComponent)

function bibTex(citation: Citation): string {
  const authors = citation.authors.map((name) => `{${escaped(name)}}`).join(' and ')
  const lines = membersOf(citation).map(({ name, value }) => {
    const text = name === 'doi' || name === 'url' ? addressIn(value) : escaped(value)
    // Twice in braces: a title keeps its capitals.
    return `  ${name} = {${name === 'title' ? `{${text}}` : text}}`
  })
  const all = authors === '' ? lines : [`  author = {${authors}}`, ...lines]
  return `@misc{${citation.id.replaceAll(/[^\w.-]/g, '-')},\n${all.join(',\n')}\n}\n`
}

function ris(citation: Citation): string {
  const authors = citation.authors.map((name) => ({ tag: 'AU', value: name }))
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
