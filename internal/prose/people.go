package prose

var firstNames = []string{
	"Aaliyah", "Aiko", "Alejandro", "Amara", "Ana", "Anders", "Anika", "Antoine", "Arjun", "Astrid", "Ayşe", "Beatriz",
	"Benedikt", "Bianca", "Bjørn", "Camila", "Chiara", "Chidi", "Clara", "Daniel", "Darya", "David", "Diego", "Dimitra",
	"Elena", "Elif", "Emeka", "Emma", "Erik", "Fatima", "Felix", "Fernanda", "Filip", "Freya", "Gabriel", "Giulia", "Grace",
	"Hana", "Hannah", "Hassan", "Helena", "Hiroshi", "Ibrahim", "Ines", "Ingrid", "Isabel", "Ivan", "Jakub", "James", "Jana",
	"Jonas", "Julia", "Kaito", "Karin", "Kateryna", "Kofi", "Lars", "Laura", "Leila", "Lena", "Liam", "Linh", "Lucas", "Lucía",
	"Magnus", "Maja", "Malik", "Marco", "Maria", "Marta", "Mateo", "Matthias", "Mei", "Mia", "Milan", "Min-jun", "Mohammed",
	"Nadia", "Naomi", "Nikolai", "Nina", "Noah", "Nora", "Oksana", "Oliver", "Olivia", "Omar", "Oskar", "Pablo", "Paulo",
	"Petra", "Pierre", "Priya", "Rafael", "Rania", "Ravi", "Rosa", "Ruth", "Samira", "Samuel", "Sanjay", "Sara", "Sebastian",
	"Seo-yeon", "Sofia", "Stefan", "Sunita", "Susan", "Tadashi", "Tamara", "Tariq", "Thandiwe", "Theo", "Thomas", "Tomasz",
	"Uma", "Vera", "Viktor", "Wanjiru", "Wei", "Yara", "Yasmin", "Yuki", "Yusuf", "Zoë", "Zuzana",
}

var lastNames = []string{
	"Abbas", "Adeyemi", "Almeida", "Andersson", "Baker", "Banerjee", "Bauer", "Becker", "Bennett", "Bianchi", "Bondarenko",
	"Brandt", "Brooks", "Campbell", "Carvalho", "Castillo", "Chandra", "Chen", "Clarke", "Costa", "Dahl", "Delgado",
	"Demir", "Dubois", "Eriksen", "Esposito", "Evans", "Farouk", "Ferrari", "Fischer", "Flores", "Fontaine", "Foster",
	"Garcia", "Gomes", "Graham", "Greene", "Gupta", "Haddad", "Hansen", "Hashimoto", "Hernández", "Hoffmann", "Horvat",
	"Hughes", "Ibarra", "Ito", "Ivanova", "Jansen", "Johansson", "Kamau", "Kaur", "Keller", "Khan", "Kim", "Kovács",
	"Kowalska", "Kumar", "Larsen", "Laurent", "Lee", "Lindqvist", "Lopez", "Maier", "Mahlangu", "Martin", "Mbeki", "Meyer",
	"Mitchell", "Moreau", "Moreno", "Müller", "Nakamura", "Nguyen", "Nielsen", "Novak", "Nowak", "O'Brien", "Okafor", "Okonkwo",
	"Oliveira", "Olsen", "Osei", "Park", "Patel", "Pereira", "Petrov", "Popescu", "Price", "Ramos", "Rao", "Reyes", "Ricci",
	"Rodriguez", "Romano", "Rossi", "Sánchez", "Santos", "Sato", "Schmidt", "Schneider", "Sharma", "Silva", "Singh", "Suzuki",
	"Svensson", "Takahashi", "Tanaka", "Taylor", "Thompson", "Tran", "Turner", "Vargas", "Vasquez", "Virtanen", "Vogel",
	"Wagner", "Walker", "Wang", "Weber", "Williams", "Wilson", "Wójcik", "Yamamoto", "Yilmaz", "Zhang", "Zimmermann",
}

var companies = []string{
	"fernwood", "brightharbor", "quarrylane", "northgate", "tallpine", "redkite", "cobaltworks", "openfield", "stonebridge",
	"lakeside", "meridian", "oldmill", "paperplane", "rivermark", "saltandsons", "silverbirch", "sunport", "thirdfloor",
	"umbrafilm", "valleyfoods", "westwind", "yellowdoor", "atelier9", "bluebarn", "cityworks", "driftwood", "eastcourt",
	"farpoint", "goodneighbor", "hillcrest", "ironbridge", "juniper", "kitehill", "lanternhouse", "mapleandco", "nightowl",
}
