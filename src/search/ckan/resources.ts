/** Distributions as resources of CKAN. */

import { at, chosenAt, listAt, textAt, type Fields } from '../feeds/reading.ts'

type Owner = {
  /** The dataset. */
  readonly record: Fields
  readonly id: string
  readonly position: number
}

export function resourceOf(distribution: unknown, owner: Owner): Fields {
  const text = (path: string) => textAt(distribution, path) ?? null
  // A distribution has the main language of its dataset.
  const spoken = (path: string) => {
    const texts = { [path]: at(distribution, path), catalog: owner.record['catalog'] }
    return chosenAt(texts, path, 'en')?.text ?? null
  }
  const [url = null] = ['download_url', 'access_url'].flatMap((name) => listAt(distribution, name))
  const size = at(distribution, 'byte_size')
  return {
    id: text('id'),
    package_id: owner.id,
    position: owner.position,
    name: spoken('title'),
    description: spoken('description'),
    url,
    format: textAt(distribution, 'format.label') ?? textAt(distribution, 'format.id') ?? null,
    mimetype: text('media_type'),
    size: typeof size === 'number' ? size : null,
    hash: text('checksum.checksum_value'),
    hash_algorithm: text('checksum.algorithm'),
    created: text('issued'),
    last_modified: text('modified'),
    license: text('license.resource'),
    state: 'active',
  }
}
