"""A small corpus: five topics of twelve documents, some longer than a window."""

from querykin import Document

FACTS = {
    "baseball": [
        ("Seattle Mariners", "The Seattle Mariners play baseball in the American League."),
        ("Home run", "A home run is hit when the batter circles all four bases."),
        ("Pitcher", "The pitcher throws the ball from the mound to the catcher."),
        ("World Series", "The World Series ends the season of Major League Baseball."),
        ("Stolen base", "A runner steals a base while the pitcher delivers the ball."),
        ("Catcher", "The catcher crouches behind home plate and calls the pitches."),
        ("Umpire", "The umpire calls balls, strikes and outs on the field."),
        ("Shortstop", "The shortstop stands between second and third base."),
        ("Bunt", "A bunt drops the ball softly in front of the infielders."),
        ("Bullpen", "Relief pitchers warm up in the bullpen during the game."),
        ("Ichiro Suzuki", "Ichiro Suzuki collected 262 hits for the Mariners in 2004."),
        ("No-hitter", "In a no-hitter the pitcher allows no hit through nine innings."),
    ],
    "space": [
        ("NASA", "NASA leads space exploration with rockets, probes and telescopes."),
        ("Space exploration", "Space exploration is the discovery of outer space by astronauts and probes."),
        ("Apollo 11", "Apollo 11 landed the first astronauts on the Moon in July 1969."),
        ("Hubble", "The Hubble telescope photographs distant galaxies from its orbit."),
        ("Mars rover", "A rover drives over Mars and drills into its rocks."),
        ("Space travel", "Space travel carries astronauts to the orbit of the Earth and beyond."),
        ("Voyager", "The probe Voyager left the solar system after passing Jupiter and Saturn."),
        ("Satellite", "A satellite circles the Earth and relays signals from its orbit."),
        ("Space station", "Astronauts live and work aboard the International Space Station."),
        ("Rocket engine", "A rocket engine burns fuel with oxygen and lifts the launcher."),
        ("Black hole", "No light escapes from a black hole in the centre of the galaxy."),
        ("ESA", "The European Space Agency launches rockets from Kourou."),
    ],
    "cooking": [
        ("Apple pie", "An apple pie is baked in the oven with cinnamon and sugar."),
        ("Tomato soup", "Tomato soup simmers with onions, garlic and a little basil."),
        ("Bread", "Bread dough of flour, water, salt and yeast rises before baking."),
        ("Risotto", "A risotto is stirred while the rice drinks the warm broth."),
        ("Omelette", "An omelette of beaten eggs is fried in butter."),
        ("Pancake", "Pancakes of flour, milk and eggs are fried on a griddle."),
        ("Valentine's cake", "On Valentine's Day a cake shaped like a heart is baked for a valentine."),
        ("Crème brûlée", "Crème brûlée hides custard under a crust of burnt sugar."),
        ("Salad", "A salad of lettuce and tomatoes is dressed with oil and vinegar."),
        ("Curry", "A curry is seasoned with turmeric, cumin, coriander and chilli."),
        ("Chocolate", "Chocolate is melted slowly over warm water with butter."),
        ("Roast chicken", "A roast chicken rests after an hour in the oven."),
    ],
    "java": [
        ("Java (programming language)", "Java is a programming language that runs on a virtual machine."),
        ("Applet", "Applet development in Java put small programs into the browser."),
        ("Virtual machine", "The virtual machine compiles bytecode while the program runs."),
        ("Garbage collection", "Garbage collection frees the memory of objects nobody refers to."),
        ("Class", "A class in object-oriented programming holds fields and methods."),
        ("Interface", "An interface lists the methods that a class must implement."),
        ("Compiler", "The compiler translates source code of the language into bytecode."),
        ("Thread", "Threads of one program share its memory and need locks."),
        ("Exception", "An exception interrupts the program until a handler catches it."),
        ("Generics", "Generics let a programming language check the types of collections."),
        ("Maven", "Maven builds Java programs and fetches the libraries they need."),
        ("Servlet", "A servlet answers requests of the browser on a Java server."),
    ],
    "island": [
        ("Java (island)", "Java is an island of Indonesia between Sumatra and Bali."),
        ("Indonesia", "Indonesia is a country of seventeen thousand islands in Southeast Asia."),
        ("Jakarta", "Jakarta, the capital of Indonesia, lies on the north coast of Java."),
        ("Bali", "Bali is an island east of Java with beaches and temples."),
        ("Borobudur", "The temple of Borobudur stands in the middle of the island of Java."),
        ("Merapi", "The volcano Merapi erupts often over the villages of central Java."),
        ("Sumatra", "Sumatra is a large island in the west of Indonesia."),
        ("Krakatoa", "The volcano Krakatoa exploded in 1883 between Java and Sumatra."),
        ("Rice terraces", "Farmers on the island grow rice on terraces watered from the hills."),
        ("Surabaya", "Surabaya is a port and the second city of Indonesia."),
        ("Batik", "Batik is cloth dyed with wax, an art of the island of Java."),
        ("Komodo", "The dragons of Komodo are lizards of the islands of Indonesia."),
    ],
}


def _body(topic: str, number: int) -> str:
    """The fact of the document, then others of its topic; every fourth document is longer than a window."""
    facts = [fact for _, fact in FACTS[topic]]
    own = facts[number:] + facts[:number]
    return " ".join(own * 2) if number % 4 == 3 else " ".join(own[: 1 + number % 3])


_TOPICAL = [
    Document(f"{topic}-{number}", title, _body(topic, number), f"https://example.org/{topic}/{number}")
    for topic, facts in FACTS.items()
    for number, (title, _) in enumerate(facts)
]
# With the untitled one there are 61, a prime: no two k log(N / df) are equal by coincidence, so that
# truncation never depends on the last bit of a logarithm.
DOCUMENTS = (*_TOPICAL, Document("untitled", "", "Nobody knows what this belongs to."))
QUERIES = (
    "space exploration",
    "NASA",
    "java island",
    "java programming",
    "Indonesia",
    "apple pie",
    "Valentine's day cake",
    "mariners baseball game",
    "applet development",
    "the",
    "rockets rocks",
)
WORDS = sorted({word for document in DOCUMENTS for word in f"{document.title} {document.text}".split()})
