/** What the platform keeps is for its own user: folders 700, files 600, also those of an earlier version. */

import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

/** Everything below a directory that somebody else may read, write or enter. */
async function openToOthers(directory: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of ['', ...(await readdir(directory, { recursive: true }))]) {
    const { mode } = await lstat(join(directory, entry))
    if ((mode & 0o077) !== 0) found.push(`${entry} ${(mode & 0o777).toString(8)}`)
  }
  return found
}

it('every file and folder of the data directory is closed to others', async () => {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'search'), { mode: 0o755 })
  await writeFile(join(directory, 'search', 'left-behind.txt'), '', { mode: 0o644 })
  const platform = await gateway(directory)
  const api = client(platform)
  await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  await api.putDataset('c', 'd', `${prefixes}<> a dcat:Dataset ; dct:title "T"@en .`)
  expect(await openToOthers(directory)).toEqual([])
  await platform.stop()
  expect(await openToOthers(directory)).toEqual([])
  await remove(directory)
})
