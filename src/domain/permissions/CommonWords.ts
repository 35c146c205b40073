/**
 * Words that say nothing about who uses them: those of addresses and searches, of configuration, and names of formats and versions.
 */

const common = new Set(
  `about above access account action actions active address admin advanced after again algorithm alias align allow alpha also alternative
  always analysis android another answer apache api app append application apply approach architecture argument arguments array article
  assert assets async attribute audio auth author auto available await back background backend bar base basic basics before begin behavior
  below best beta between binary bind blog body book boolean boot both bottom box branch break browser bubble buffer bug build builder
  builtin bundle bundler button byte bytes cache call callback cancel case catalog catch category center chain change changelog changes
  channel char character chart check child children choose class classes clean clear click client clone close cloud cluster code coding
  collection color column command commands comment commit common commonjs community compare compile compiler complete component
  components compute concept concepts concurrency concurrent condition config configuration configure connect connection console const
  constant constructor container content context continue contribute control convert cookbook cookie copy core count cover create
  creating custom data database date day debug debugging declaration declare deep default define definition delete demo dependencies
  dependency deploy deployment deprecated describe description design desktop detail details detect developer developers development
  device diff different digest directory disable display dist docs document documentation does domain done down download draft drive
  driver each easy edit editor effect effects element else email embed embedded empty enable encode encoding engine english entry enum
  environment error errors event events every example examples except exception exec execute exist exists exit expect experimental
  explain export exports expression extend extension external false family fast feature features fetch field fields file files filter
  final find first fixed flag flags float flow folder follow font footer force form format formatter forum framework free from front
  frontend full function functional functions game general generate generated generator generic getting github given global good google
  graph great grid group guide guides handle handler handling hash head header headers height hello help here hidden high history home
  hook hooks host hosting hour html http https icon image images implement import improve include index info inherit init initial inline
  input insert inside install installation installing integer integration interface internal into introduction issue issues item items
  iterate iterator java javascript join json keep kernel keys keyword kind know label lang language languages large last latest layer
  layout lazy learn left length level lib libraries library license light like limit line link links lint linux list listen literal load
  local locale lock log logger logging login logs long loop machine macos main make manage management manager manual many map mapping
  march margin mark markdown master match math maximum media member memory menu merge message messages meta metadata method methods
  metrics middleware migrate migrating migration minimal minimum mobile mock mode model models modern modify module modules more most move
  multi multiple must name named names namespace native navigation nested network never news next node nodenext none normal notation note
  notes null number numeric object objects official once only open opensource operation operator optimize option optional options order
  other output over overview override owner package packages page pages parallel param parameter parameters parent parse parser parsing
  part party pass password patch path pattern patterns perform performance permission permissions person php pipeline place plain
  platform play plugin plugins point policy pool popular port position post practice practices prefix prepare present preview previous
  print private process product production profile program programming project projects promise prompt properties property protocol
  provider proxy public publish pull push python query question questions queue quick quickstart quote random range rate read reading
  readme readonly record recursive reducer reference references register registry regular relative release releases remote remove render
  replace report repository request require required research reset resolve resource resources response result results return right role
  root round route router routing rule rules run running runtime rust safe same sample save scale scheme schema scope screen script
  scripts search second section security see select self send separate sequence serial server service services session setting settings
  setup shape share shared shell short should show side sign simple since single site size skip sleep small snippet snippets socket
  software some sort source space spec special specification split stable stack stage standard start started state statement states
  static status step storage store stream streams strict string strings struct structure style subject submit suite summary support
  supported switch symbol sync syntax system table tag tags target task team template templates term terminal test testing tests text than
  that then there these they thing this thread time timeout title todo token tokens tool tooling tools topic topics track train transform
  transition translate tree trigger true tutorial tutorials type typed types typescript undefined union unique unit unix unknown until
  update updates upgrade upload url usage use user users using utf util utilities utils valid validate validation value values variable
  variables vector version versions video view visual void wait want warning warnings watch ways web website week welcome well what when
  where which while whole widget wiki window windows with within without word work worker workflow workflows working workspace world would
  write writing wrong xml yaml year yield your zero`.split(/\s+/)
)

export const isCommonWord = (word: string): boolean => common.has(word)

/** `sha256`, `utf8`, `python3`, `64bit`, `v2`. */
const technical =
  /^(?:aes|amd|arm|base|cp|crc|css|ec|ecma|es|float|h|html|http|i|int|ipv|iso|jdk|latin|md|mp|node|nodejs|oauth|op|p|pep|php|py|python|rfc|rs|rsa|ruby|sha|sql|ssl|tls|u|uint|utf|v|vue|web|win|x)\d+$|^\d+(?:bit|byte|d|em|fps|gb|h|hz|kb|khz|m|mb|min|ms|nd|ns|px|rd|s|st|th|x)$/

export const isTechnicalWord = (word: string): boolean => technical.test(word)
