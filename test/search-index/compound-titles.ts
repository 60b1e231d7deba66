/** Titles of datasets with a compound, for tests; each line is `part, which the compound begins or ends with: title`. */

/** Twenty titles per language. */
export const compoundTitles: Readonly<Record<string, string>> = {
  da: `
    vand: Grundvand og boringer
    vej: Cykelveje i kommunen
    skole: Skoledistrikter 2024
    kort: Støjkort over byen
    børn: Børnehaver og vuggestuer
    skov: Skovbrande pr. år
    bibliotek: Biblioteksudlån pr. indbygger
    trafik: Trafikulykker med personskade
    luft: Luftforurening målt time for time
    affald: Affaldsmængder fra husholdninger
    energi: Vindenergi til havs
    befolkning: Befolkningsudvikling efter alder
    kommune: Kommunegrænser
    støj: Støjmålinger ved motorveje
    bygning: Skolebygninger og deres areal
    station: Ladestationer til elbiler
    strand: Strandbeskyttelse og klitfredning
    træ: Træarter i parkerne
    hospital: Hospitalssenge pr. region
    valg: Kommunalvalg 2021`,
  de: `
    Wasser: Hochwasser im Jahr 2021
    Straße: Straßenverzeichnis der Stadt
    Schule: Grundschulen in freier Trägerschaft
    Karte: Bodenkarte von Hessen
    Baum: Baumkataster Köln
    Wald: Waldbrände seit 1990
    Kind: Kindertagesstätten nach Stadtteilen
    Rad: Radwege im Landkreis
    Lärm: Lärmkartierung der Ballungsräume
    Luft: Luftqualität, stündliche Messwerte
    Müll: Müllabfuhr nach Bezirken
    Energie: Solarenergie auf Dächern
    Bevölkerung: Bevölkerungsentwicklung bis 2040
    Gemeinde: Gemeindegrenzen
    Gebäude: Schulgebäude und ihre Baujahre
    Bahnhof: Bahnhofsverzeichnis
    Krankenhaus: Krankenhausbetten je Kreis
    Verkehr: Verkehrsunfälle mit Personenschaden
    Park: Parkplätze und Belegung
    Zahl: Einwohnerzahlen der Ortsteile`,
  fi: `
    vesi: Vesijohdot ja kaivot
    tie: Tieverkko ja sillat
    koulu: Peruskoulut Helsingissä
    rakennus: Koulurakennukset ja pinta-alat
    puisto: Leikkipuistot varusteineen
    metsä: Metsäpalojen määrä vuosittain
    järvi: Järvialueiden syvyydet
    asema: Sähköautojen latausasemat
    kirjasto: Lainat kunnankirjastoissa
    kunta: Kuntavaalien ehdokkaat
    kartta: Tulvakartat rannikolla
    katu: Kävelykadut keskustassa
    väestö: Väestörakenne iän mukaan
    energia: Tuulienergian tuotanto
    päästö: Päästökauppa ja hiilidioksidi
    pyörä: Kaupunkipyörien käyttö
    ilma: Ilmanlaatu mittauspisteittäin
    terveys: Terveyskeskukset ja vuodeosastot
    satama: Venesatamat ja laiturit
    liikenne: Liikennemäärät pääteillä`,
  hu: `
    víz: Vízállás a Dunán
    iskola: Iskolabuszok menetrendje
    vasút: Vasútállomások listája
    állomás: Buszállomások és megállók
    térkép: Árvíztérkép a Tisza mentén
    erdő: Erdőtűz esetek évente
    föld: Termőföld adásvételek
    park: Parkfenntartás költségei
    könyvtár: Könyvtárlátogatók száma
    kórház: Kórházágyak megyénként
    lakosság: Lakosságszám kerületenként
    levegő: Levegőminőség mérések
    kerékpár: Kerékpárutak hálózata
    hulladék: Hulladékgyűjtő szigetek
    energia: Napenergia termelés
    folyó: Folyószakaszok vízhozama
    választó: Választókerületek határai
    közlekedés: Tömegközlekedés utasszámai
    gyermek: Gyermekorvosok rendelői
    zaj: Zajtérkép Budapestre`,
  nl: `
    water: Waterkwaliteit van zwemplassen
    weg: Snelwegen in Nederland
    school: Basisscholen per provincie
    gebouw: Schoolgebouwen en eigenaren
    kaart: Bodemkaart van Nederland
    boom: Boomsoorten in de stad
    fiets: Fietspaden en knooppunten
    garage: Parkeergarages en bezetting
    geluid: Geluidsbelasting door treinen
    afval: Afvalcontainers en ophaaldagen
    lucht: Luchtverontreiniging per uur
    bevolking: Bevolkingsgroei per jaar
    station: Treinstations en reizigers
    brug: Brugopeningen en wachttijden
    ziekenhuis: Ziekenhuisopnames per leeftijd
    energie: Windenergie op land
    gemeente: Gemeentegrenzen 2024
    grens: Wijkgrenzen van Rotterdam
    kind: Kinderopvang en wachtlijsten
    bos: Bosbranden per maand`,
  sv: `
    vatten: Dricksvatten och analyser
    väg: Cykelvägar i Malmö
    skola: Grundskolor och elevantal
    karta: Terrängkarta över fjällen
    barn: Barnomsorg per kommun
    skog: Skogsbränder 2018
    sjö: Sjönamn och koordinater
    buss: Busshållplatser i länet
    trafik: Trafikolyckor med skador
    luft: Luftkvalitet i tätorter
    avfall: Avfallsmängder från hushåll
    bibliotek: Folkbibliotek och utlån
    energi: Energideklarationer av villor
    befolkning: Befolkningsprognos till 2050
    kommun: Kommungränser
    park: Nationalparker i Sverige
    buller: Bullerkartläggning
    station: Laddstationer för elbilar
    bygglov: Bygglovsärenden per månad
    fiske: Fiskeområden och fredningstider`,
}

/** Both parts of the compounds, as they stand in them. */
export const partWords: Readonly<Record<string, string>> = {
  da: 'grund vand cykel veje skole distrikter støj kort børn haver skov brande bibliotek udlån trafik ulykker luft forurening affald mængder vind energi befolkning udvikling kommune grænser målinger bygninger lade stationer strand beskyttelse træ arter hospital senge kommunal valg',
  de: 'hoch Wasser Straßen Verzeichnis Grund Schulen Boden Karte Baum Kataster Wald Brände Kinder Tagesstätten Rad Wege Lärm Kartierung Luft Qualität Müll Abfuhr Solar Energie Bevölkerung Entwicklung Gemeinde Grenzen Schul Gebäude Bahnhof Kranken Haus Betten Verkehr Unfälle Park Plätze Einwohner Zahlen',
  fi: 'vesi johdot tie verkko perus koulut koulu rakennukset leikki puistot metsä palojen järvi alueiden lataus asemat kunnan kirjastoissa kunta vaalien tulva kartat kävely kadut väestö rakenne tuuli energian päästö kauppa kaupunki pyörien ilman laatu terveys keskukset vene satamat liikenne määrät',
  hu: 'víz állás iskola buszok vasút állomások busz árvíz térkép erdő tűz termő föld park fenntartás könyvtár látogatók kórház ágyak lakosság szám levegő minőség kerékpár utak hulladék gyűjtő nap energia folyó szakaszok választó kerületek tömeg közlekedés gyermek orvosok zaj',
  nl: 'water kwaliteit snel wegen basis scholen school gebouwen bodem kaart boom soorten fiets paden parkeer garages geluid belasting afval containers lucht verontreiniging bevolking groei trein stations brug openingen ziekenhuis opnames wind energie gemeente grenzen wijk kinder opvang bos branden',
  sv: 'dricks vatten cykel vägar grund skolor terräng karta barn omsorg skog bränder sjö namn buss hållplatser trafik olyckor luft kvalitet avfall mängder folk bibliotek energi deklarationer befolkning prognos kommun gränser national parker buller kartläggning ladd stationer bygglov ärenden fiske områden',
}

/** German titles with a word that begins or ends with another one and is no compound of it. */
export const otherTitles = `
    Strom: Strömung im Hafenbecken
    Bild: Bildung und Abschlüsse
    Rat: Quadrat im Stadtgrundriss
    Messe: Messergebnisse der Wasserwerke
    Karte: Kartellverfahren seit 2005
    Art: Artikel der Satzung
    Ort: Transport gefährlicher Güter
    Tier: Quartier und Nachbarschaft
    Bar: Nachbargemeinden
    Sand: Versandkosten
    Amt: Gesamtausgaben
    Post: Kompostanlagen
    Meter: Parameter des Grundwassers
    Essen: Interessen der Jugendlichen
    Regen: Regensburger Stadtbezirke
    Reis: Reisende nach Herkunft
    Alter: Gehälter im öffentlichen Dienst
    Steuer: Steuerung der Ampeln
    Recht: Rechtecke des Kartenblatts
    Hof: Bischofssitze`

/** Part and title of each line. */
export const titlesOf = (text: string): readonly (readonly [part: string, title: string])[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [part = '', title = ''] = line.trim().split(': ')
      return [part, title]
    })
