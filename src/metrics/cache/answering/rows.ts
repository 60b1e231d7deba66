/** Rows of lists, and what is told of a catalogue, as clients read them. */

import { spoken } from '../../reports/telling/spoken.ts'
import type {
  CatalogueFigures,
  PublisherFigures,
  UnreachableRow,
  ViolationRow,
} from '../figures.ts'

export function catalogueInfo({
  id,
  titles,
  descriptions,
  languages,
  country,
  type,
}: CatalogueFigures) {
  const text = (texts: CatalogueFigures['titles']) =>
    spoken(texts, { locale: 'en', languages, id: '' }).text
  return {
    id,
    title: text(titles) || id,
    description: text(descriptions),
    spatial: country,
    type,
  }
}

export const publisherInfo = ({ key, name }: PublisherFigures) => ({ id: key, title: name })

const titleOf = ({ id, titles, languages }: ViolationRow['dataset'], locale: string): string =>
  spoken(titles, { locale, languages, id }).text

export function violationRow(row: ViolationRow, locale: string) {
  const { dataset, severity, path, messages, value } = row
  const message = spoken(messages, { locale, languages: ['en'], id: '' }).text
  return {
    resultPath: path,
    resultMessage: message === '' ? null : message,
    value,
    severity,
    title: titleOf(dataset, locale),
    reference: dataset.iri,
    'dataset-id': dataset.id,
  }
}

export function unreachableRow(row: UnreachableRow, locale: string) {
  const { dataset, distribution, type, url, status, checked } = row
  return {
    reference: dataset.iri,
    'dataset-id': dataset.id,
    title: titleOf(dataset, locale),
    'distribution-id': distribution.id,
    'distribution-uri': distribution.iri,
    type,
    url,
    statusCode: status,
    checked,
  }
}
