/** Citations of datasets as a sentence, BibTeX, RIS and CSL-JSON. */

import { type Fields, listed, textAt } from '../text/json.ts'
import type { PageContext } from './context.ts'
import { listAt, textsAt } from './record.ts'

type Citation = ReturnType<typeof citationOf>

/** Identifiers of a dataset, then its further ones (`adms:identifier`). */
export const identifiersOf = (record: Fields): readonly string[] => [
  ...textsAt(record, 'identifier'),
  ...listAt(record, 'adms_identifier').flatMap(
    (identifier) => textAt(identifier, 'resource') ?? textAt(identifier, 'identifier') ?? [],
  ),
]

/** DOI at the end of an identifier: `10.1234/abc`; `undefined` where there is none. */
export const doiIn = (identifier: string): string | undefined =>
  /\b(10\.\d{4,9}\/\S+)$/.exec(identifier)?.[1]

/** Replaces blanks and control characters by single blanks. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/**
 * Members of the citation of a dataset. Authors are its creators, else its publishers; the date is that of the last change, else
 * of publication. Its year is cited; where the dataset names no version, its day, if known, is the version.
 */
export function citationOf(context: PageContext, record: Fields) {
  const names = (value: unknown) =>
    listed(value).flatMap((agent) => oneLine(context.nameOf(agent) ?? '') || [])
  const [creators, publishers] = [names(record['creator']), names(record['publisher'])]
  const [doi] = identifiersOf(record).flatMap((identifier) => doiIn(identifier) ?? [])
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

/** Citation as a sentence: `Three Rivers Basin Authority (2026): Water levels. Version 2026-05-30. http://…` */
export function citationText({ t }: PageContext, citation: Citation): string {
  const { authors, year, title, version, url } = citation
  const authorNames = authors.join('; ')
  const head = `${authorNames}${year === undefined ? '' : ` (${year})`}${authorNames === '' ? '' : ': '}${title}.`
  return `${head}${version === undefined ? '' : ` ${t('version')} ${version}.`} ${url}`
}

/** Member of a citation, named as in BibTeX → its tag in RIS. */
const tags = { title: 'TI', year: 'PY', version: 'ET', publisher: 'PB', doi: 'DO', url: 'UR' }

/** Members that a citation has, with their tags in RIS; without authors. */
const membersOf = (citation: Citation) =>
  Object.entries(tags).flatMap(([name, tag]) => {
    const value = textAt(citation, name)
    return value === undefined ? [] : [{ name, tag, value }]
  })

/** Replacements of characters for which a backslash does not suffice in LaTeX, or that its oldest fonts do not have. */
const latexEscapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\textbackslash{}`,
  '~': String.raw`\textasciitilde{}`,
  '^': String.raw`\textasciicircum{}`,
  '<': String.raw`\textless{}`,
  '>': String.raw`\textgreater{}`,
}
/** Replacements of braces without a partner: BibTeX counts braces even after a backslash. */
const braceEscapes: Readonly<Record<string, string>> = {
  '{': String.raw`\textbraceleft{}`,
  '}': String.raw`\textbraceright{}`,
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    depth += char === '{' ? 1 : char === '}' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

/** Escapes a text for LaTeX. */
function escapeLatex(text: string): string {
  const unpaired = isBalanced(text) ? {} : braceEscapes
  return text.replaceAll(
    /[\\{}&%$#_~^<>]/g,
    (char) => latexEscapes[char] ?? unpaired[char] ?? `\\${char}`,
  )
}

/** Percent-encodes the characters of an address that could end its field, because BibTeX does not unescape addresses. */
const escapeAddress = (text: string): string => text.replaceAll(/[{}\\\s]/g, encodeURIComponent)

function bibTex(citation: Citation): string {
  const authors = citation.authors.map((name) => `{${escapeLatex(name)}}`).join(' and ')
  const lines = membersOf(citation).map(({ name, value }) => {
    const text = name === 'doi' || name === 'url' ? escapeAddress(value) : escapeLatex(value)
    // Double braces keep the capitals of a title.
    return `  ${name} = {${name === 'title' ? `{${text}}` : text}}`
  })
  const fields = authors === '' ? lines : [`  author = {${authors}}`, ...lines]
  return `@misc{${citation.id.replaceAll(/[^\w.-]/g, '-')},\n${fields.join(',\n')}\n}\n`
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

/** Formats of citations by the ending of their address. */
export const citationFormats: Readonly<
  Record<string, { readonly type: string; readonly write: (citation: Citation) => string }>
> = {
  bib: { type: 'application/x-bibtex; charset=utf-8', write: bibTex },
  ris: { type: 'application/x-research-info-systems; charset=utf-8', write: ris },
  json: { type: 'application/vnd.citationstyles.csl+json; charset=utf-8', write: csl },
}
