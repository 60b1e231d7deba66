/** The list of assets that older Socrata sites have beside the discovery API, in the words of that API. */
import { fieldsOf, listOf, plainText, type Fields } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { envelopeFailure } from '../documents/envelope.ts'
import type { AssetPage } from './catalogue.ts'

/** Pages until an empty one. Throws what `Source.json` throws. */
export async function* metadataPages(
  source: Source,
  origin: string,
  size: number,
): AsyncGenerator<AssetPage, void> {
  for (let page = 1; ; page += 1) {
    const url = `${origin}/api/views/metadata/v1?page=${page}&limit=${size}`
    const { value, findings } = await source.json(url)
    if (!Array.isArray(value)) throw envelopeFailure(value, url)
    if (value.length === 0) return
    yield { results: value.map((one) => assetOf(fieldsOf(one))), findings }
  }
}

function assetOf(view: Fields): unknown {
  const id = plainText(view['id'])
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  return {
    resource: {
      id,
      type: 'dataset',
      name: view['name'],
      description: view['description'],
      attribution: view['attribution'],
      attribution_link: view['attributionLink'],
      provenance: view['provenance'],
      createdAt: view['createdAt'],
      updatedAt: view['updatedAt'],
      data_updated_at: view['dataUpdatedAt'],
      metadata_updated_at: view['metadataUpdatedAt'],
    },
    classification: {
      domain_category: view['category'],
      domain_tags: listOf(view['tags']),
      domain_metadata: custom,
    },
    metadata: { license: view['license'] },
    permalink: view['webUri'],
  }
}
