/** How a dataset is cited: a sentence, BibTeX, RIS and CSL-JSON. */

import type { Fields } from '../text/json.ts'
import type { PageContext } from './context.ts'
import { listed, textAt, textOr } from './record.ts'

type Citation = {
  readonly id: string
  readonly authors: readonly string[]
  readonly year: string | undefined
  readonly title: string
  readonly version: string | undefined
  readonly publisher: string | undefined
  readonly address: string
  readonly doi: string | undefined
}

/** Creators, else the publisher; the year of the last change, else of publication; a DOI where there is one. */
export function citationOf(context: PageContext, record: Fields): Citation {
  const names = (value: unknown) => listed(value).flatMap((one) => context.nameOf(one) ?? [])
  const creators = names(record['creator'])
  const identifiers = [...listed(record['identifier']), ...listed(record['adms_identifier'])]
  const doi = identifiers
    .map((one) => textOr(one) ?? textAt(one, 'resource') ?? textAt(one, 'identifier') ?? '')
    .map((one) => /\b(10\.\d{4,9}\/\S+)$/.exec(one)?.[1])
    .find((one) => one !== undefined)
  const date = textAt(record, 'modified') ?? textAt(record, 'issued')
  const address = textAt(record, 'resource') ?? context.root
  return {
    id: textAt(record, 'id') ?? 'dataset',
    authors: creators.length > 0 ? creators : names(record['publisher']),
    year: date?.slice(0, 4),
    title: context.plainTitle(record),
    version: textAt(record, 'version_info') ?? date?.slice(0, 10),
    publisher: names(record['publisher'])[0],
    address: doi === undefined ? address : `https://doi.org/${doi}`,
    doi,
  }
}

/** `Three Rivers Basin Authority (2026): Water levels. Version 2026-05-30. http://…` */
export function citationText(
  { t }: PageContext,
  { authors, year, title, version, address }: Citation,
): string {
  const who = authors.join('; ')
  const head = `${who}${year === undefined ? '' : ` (${year})`}${who === '' ? '' : ': '}${title}.`
  return `${head}${version === undefined ? '' : ` ${t('version')} ${version}.`} ${address}`
}

/** What BibTeX gives a meaning to. */
const escapedBib = (text: string): string =>
  text.replaceAll(/[\\{}]/g, '').replaceAll(/[&%$#_]/g, String.raw`\$&`)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Formats of a citation by the ending of their address. */
export const citationFormats: Readonly<
  Record<string, { readonly type: string; readonly write: (citation: Citation) => string }>
> = {
  bib: {
    type: 'application/x-bibtex; charset=utf-8',
    write: ({ id, authors, year, title, version, publisher, address, doi }) => {
      const entries = {
        author: authors.map((name) => `{${escapedBib(name)}}`).join(' and '),
        title: `{${escapedBib(title)}}`,
        year,
        version,
        publisher: publisher && escapedBib(publisher),
        doi,
        url: address,
      }
      const lines = Object.entries(entries).flatMap(([name, value]) =>
        value === undefined || value === '' ? [] : `  ${name} = {${oneLine(value)}}`,
      )
      return `@misc{${id.replaceAll(/[^\w.-]/g, '-')},\n${lines.join(',\n')}\n}\n`
    },
  },
  ris: {
    type: 'application/x-research-info-systems; charset=utf-8',
    write: ({ authors, year, title, version, publisher, address, doi }) => {
      const rows = [
        ['TY', 'DATA'],
        ...authors.map((name) => ['AU', name]),
        ['TI', title],
        ['PY', year],
        ['ET', version],
        ['PB', publisher],
        ['DO', doi],
        ['UR', address],
        ['ER', ''],
      ]
      return rows
        .flatMap(([tag, value]) => (value === undefined ? [] : `${tag}  - ${oneLine(value)}\r\n`))
        .join('')
    },
  },
  json: {
    type: 'application/vnd.citationstyles.csl+json; charset=utf-8',
    write: ({ id, authors, year, title, version, publisher, address, doi }) =>
      JSON.stringify([
        {
          id,
          type: 'dataset',
          title,
          author: authors.map((literal) => ({ literal })),
          ...(year !== undefined && { issued: { 'date-parts': [[Number(year)]] } }),
          version,
          publisher,
          URL: address,
          DOI: doi,
        },
      ]),
  },
}
