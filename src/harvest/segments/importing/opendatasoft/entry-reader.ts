/** What an entry of an OpenDataSoft list is: its ids, and whether it is for us. */
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'
import type { Entry } from '../documents/entry.ts'
import type { OpendatasoftConfig } from './config.ts'
import type { Domain } from './domain.ts'
import { mapDataset } from './mapping.ts'

export const entryReader =
  (domain: Domain) =>
  (fields: Fields): Entry => {
    const uid = plainText(fields['dataset_uid'])
    const slug = plainText(fields['dataset_id'])
    const ids = domain.config.identifier === 'dataset_id' ? [slug, uid] : [uid, slug]
    const [sourceId = '', ...aliases] = ids.filter((id) => id !== undefined)
    // Addresses are made of the readable id.
    const id = slug ?? sourceId
    return {
      sourceId,
      aliases,
      sourceUrl: pageOf(domain.domain, id),
      skipped: reasonToSkip(fields, domain.config),
      flaw: isFields(fields['metas']) ? undefined : 'The dataset has no metas.',
      lasting: lasting(fields),
      map: () => mapDataset(fields, { ...domain, id, sourceId, page: pageOf(domain.domain, id) }),
    }
  }

const isFields = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pageOf = (domain: string, id: string) =>
  `${domain}/explore/dataset/${encodeURIComponent(id)}/`

function reasonToSkip(fields: Fields, { federated }: OpendatasoftConfig): string | undefined {
  const metas = fieldsOf(fieldsOf(fields['metas'])['default'])
  if (!federated && (metas['federated'] === true || sourceDomain(metas)))
    return 'comes from another domain'
  const files = [fields['attachments'], fields['alternative_exports'], metas['references']]
  const isEmpty = files.every((some) => listOf(some).length === 0)
  return fields['has_records'] === false && isEmpty ? 'has neither records nor files' : undefined
}

const sourceDomain = (metas: Fields) =>
  saidText(metas['source_domain']) !== undefined ||
  saidText(metas['source_domain_address']) !== undefined

/** Counts and processing times change without the dataset. */
function lasting(fields: Fields): unknown {
  const metas = fieldsOf(fields['metas'])
  const {
    records_count: _count,
    metadata_processed: _processed,
    ...rest
  } = fieldsOf(metas['default'])
  return { ...fields, metas: { ...metas, default: rest } }
}
