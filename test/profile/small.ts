/** A complete small profile as text, and directories of profiles for tests. */

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const shapes = `@prefix m: <urn:cartulary:profile#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix ex: <https://example.org/shapes#> .
ex:profile a m:PlatformProfile ; m:profileVersion "1" ; dct:title "Tiny" ; owl:versionInfo "1.0.0" .
ex:Catalog a sh:NodeShape ; sh:targetClass dcat:Catalog ;
  sh:property [ sh:path dcat:dataset ] ;
  sh:property [ sh:maxCount 1 ; m:mappingName "id" ; m:mappingClass "StandardText" ] ;
  sh:property [ sh:path dct:title ; sh:minCount 1 ; m:mappingName "title" ; m:mappingClass "SimpleMultiLangTitle" ] ;
  sh:property [ sh:path dct:publisher ; sh:minCount 1 ; sh:maxCount 1 ; m:mappingName "publisher" ; m:mappingClass "Agent" ] .
ex:Dataset a sh:NodeShape ; sh:targetClass dcat:Dataset ;
  sh:property [ sh:maxCount 1 ; m:mappingName "id" ; m:mappingClass "StandardText" ] ;
  sh:property [ sh:maxCount 1 ; m:mappingName "catalog" ; m:mappingClass "Nested" ;
    m:mappingProperty [ sh:minCount 1 ; sh:maxCount 1 ; m:mappingName "id" ; m:mappingClass "StandardText" ] ] ;
  sh:property [ sh:maxCount 1 ; m:mappingName "catalog_record" ; m:mappingClass "Nested" ;
    m:mappingProperty [ sh:maxCount 1 ; m:mappingName "issued" ; m:mappingClass "DateTime" ; sh:path dct:issued ] ,
                      [ m:mappingName "modified" ; m:mappingClass "DateTime" ] ] ;
  sh:property [ sh:maxCount 1 ; m:mappingName "country" ; m:mappingClass "SpatialResource" ] ;
  sh:property [ sh:maxCount 1 ; m:mappingName "quality_meas" ; m:mappingClass "Metrics" ] ;
  sh:property [ sh:path dct:title ; sh:minCount 1 ; m:mappingName "title" ; m:mappingClass "SimpleMultiLangTitle" ] ;
  sh:property [ sh:path dcat:distribution ; m:mappingName "distributions" ; m:mappingClass "Nested" ; m:mappingLink ex:Distribution ] .
ex:Distribution a sh:NodeShape ; sh:targetClass dcat:Distribution ;
  sh:property [ sh:maxCount 1 ; m:mappingName "id" ; m:mappingClass "StandardText" ] ;
  sh:property [ sh:path dcat:accessURL ; m:mappingName "access_url" ; m:mappingClass "StandardDisabled" ] .
`

const entry = (id: string, shape: string, path: string) => ({
  id,
  description: `${id} entries`,
  path,
  name: id,
  shapeUri: `https://example.org/shapes#${shape}`,
})

export const entryFile = {
  version: '1',
  id: 'tiny',
  core: [entry('dataset', 'Dataset', 'tiny.ttl'), entry('catalog', 'Catalog', 'tiny.ttl')],
}

/** A new directory with these files; objects are written as JSON. */
export async function directoryOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'profile-'))
  for (const [name, content] of Object.entries(files))
    await writeFile(
      join(directory, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  return directory
}

/** The small profile with one piece of its shapes replaced. */
export function smallProfile(from = '', to = ''): Promise<string> {
  if (!shapes.includes(from)) throw new Error(`the small profile does not contain ${from}`)
  return directoryOf({ 'platform.json': entryFile, 'tiny.ttl': shapes.replace(from, to) })
}
