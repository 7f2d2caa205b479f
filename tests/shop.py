"""A small shop in several languages: twenty and more products, each a title and a sentence."""

from querykin import Document

_GERMAN = """
Kaffeemaschine mit Mahlwerk: Die Kaffeemaschine mahlt ganze Bohnen und brüht starken Kaffee.
Kaffeebohnen aus Brasilien: Geröstete Bohnen für Kaffee und Espresso aus der Maschine.
Espressokanne aus Edelstahl: Die Kanne kocht Espresso auf dem Herd wie in Italien.
Gießkanne 10 Liter: Mit der Gießkanne werden Blumen im Garten bewässert.
Gartenschlauch 20 Meter: Ein Schlauch zum Bewässern von Rasen und Blumen im Garten.
Rasenmäher mit Akku: Der Mäher schneidet den Rasen im Garten ohne Kabel.
Heckenschere: Mit der Schere werden Hecken und Sträucher im Garten geschnitten.
Blumenerde für Balkonpflanzen: Erde für Blumen und Pflanzen auf dem Balkon.
Laufschuhe für Damen: Leichte Schuhe zum Laufen auf der Straße und im Wald.
Laufschuhe für Herren: Gedämpfte Schuhe zum Laufen, auch für den Marathon.
Wanderschuhe aus Leder: Feste Schuhe zum Wandern in den Bergen.
Kinderfahrrad 16 Zoll: Ein Fahrrad für Kinder mit Stützrädern und Klingel.
Fahrradhelm für Kinder: Der Helm schützt Kinder auf dem Fahrrad.
Fahrradschloss: Ein Schloss aus Stahl gegen den Diebstahl von Fahrrädern.
Wasserkocher aus Glas: Der Kocher erhitzt Wasser für Tee in zwei Minuten.
Teekanne aus Porzellan: Eine Kanne für grünen und schwarzen Tee.
Grüner Tee aus Japan: Blätter für Tee, der in der Kanne zieht.
Bettwäsche aus Baumwolle: Weiche Bezüge für Decken und Kissen im Bett.
Kopfkissen für Seitenschläfer: Das Kissen stützt den Kopf im Bett.
Wolldecke für das Sofa: Eine warme Decke aus Wolle für kalte Tage.
Schreibtisch höhenverstellbar: Am Tisch arbeitet man im Sitzen und im Stehen.
Bürostuhl mit Armlehnen: Ein Stuhl für das Büro und den Schreibtisch.
"""
_ENGLISH = """
Coffee maker with grinder: The machine grinds whole beans and brews strong coffee.
Coffee beans from Brazil: Roasted beans for coffee and espresso.
Watering can, two gallons: The can is used for watering flowers in the garden.
Garden hose, fifty feet: A hose for watering lawns and flowers in the garden.
Cordless lawn mower: The mower cuts the lawn in the garden without a cable.
Hedge trimmer: The trimmer cuts hedges and bushes in the garden.
Running shoes for women: Light shoes for running on roads and in the woods.
Running shoes for men: Cushioned shoes for running, even for a marathon.
Hiking boots: Strong boots for hiking in the mountains.
Bicycle for children: A bicycle with training wheels and a bell.
Bicycle helmet: The helmet protects children who are cycling.
Bicycle lock: A steel lock against theft of bicycles.
Glass kettle: The kettle heats water for tea in two minutes.
Porcelain teapot: A pot for green and black tea.
Green tea from Japan: Leaves for tea that steeps in the pot.
Cotton bedding: Soft covers for blankets and pillows.
Pillow for side sleepers: The pillow supports the head in bed.
Wool blanket: A warm blanket of wool for cold days.
Standing desk: At the desk you work sitting or standing.
Office chair with armrests: A chair for the office and the desk.
"""
_FRENCH = """
Cafetière à grains: La cafetière moud les grains et prépare un café corsé.
Café en grains du Brésil: Des grains torréfiés pour le café et l'expresso.
Cafetière italienne: Elle prépare l'expresso sur la plaque, comme en Italie.
Arrosoir de dix litres: L'arrosoir sert à arroser les fleurs du jardin.
Tuyau d'arrosage: Un tuyau pour l'arrosage de la pelouse et des fleurs du jardin.
Tondeuse à gazon: La tondeuse coupe le gazon du jardin sans câble.
Taille-haie électrique: L'outil coupe les haies et les arbustes du jardin.
Terreau pour plantes: De la terre pour les plantes et les fleurs du balcon.
Chaussures de course pour femmes: Des chaussures légères pour courir sur la route.
Chaussures de course pour hommes: Des chaussures amorties pour courir un marathon.
Chaussures de randonnée: Des chaussures solides pour marcher en montagne.
Vélo pour enfants: Un vélo avec une sonnette pour les enfants de six ans.
Casque de vélo: Le casque protège les enfants à vélo.
Antivol de vélo: Un antivol en acier contre le vol des vélos.
Bouilloire en verre: La bouilloire chauffe l'eau du thé en deux minutes.
Théière en porcelaine: Une théière pour le thé vert et le thé noir.
Thé vert du Japon: Des feuilles pour le thé, à infuser dans la théière.
Linge de lit en coton: Des housses douces pour la couette et l'oreiller.
Oreiller ergonomique: L'oreiller soutient la tête dans le lit.
Huile d'olive: Une huile d'olive de Provence pour la salade.
Bureau réglable: Un bureau pour travailler assis ou debout.
Éclairage de jardin: Des lampes pour l'éclairage des allées du jardin.
"""
_SPANISH = """
Cafetera automática: La cafetera muele los granos y prepara un café fuerte.
Café en grano de Brasil: Granos tostados para café y expreso.
Cafetera italiana: Prepara café expreso en la cocina, como en Italia.
Regadera de diez litros: La regadera sirve para regar las flores del jardín.
Manguera de jardín: Una manguera para el riego del césped y de las flores.
Cortacésped con batería: La máquina corta el césped del jardín sin cable.
Tijeras de podar: Las tijeras cortan ramas y arbustos del jardín.
Tierra para macetas: Tierra para plantas y flores en el balcón.
Zapatillas de correr para mujer: Zapatillas ligeras para correr por la ciudad.
Zapatillas de correr para hombre: Zapatillas con amortiguación para correr un maratón.
Botas de montaña: Botas fuertes para caminar por la montaña.
Bicicleta para niños: Una bicicleta con timbre para niños de seis años.
Casco de bicicleta: El casco protege a los niños en la bicicleta.
Candado de bicicleta: Un candado de acero contra el robo de bicicletas.
Hervidor de cristal: El hervidor calienta el agua del té en dos minutos.
Tetera de porcelana: Una tetera para té verde y té negro.
Camión de juguete: Un camión de madera para niños.
Ropa de cama de algodón: Fundas suaves para edredones y almohadas.
Almohada cervical: La almohada sostiene la cabeza en la cama.
Iluminación de exterior: Lámparas para la iluminación del jardín.
Escritorio ajustable: Un escritorio para trabajar de pie o sentado.
Silla de oficina: Una silla con brazos para la oficina y el escritorio.
"""
_PORTUGUESE = """
Cafeteira elétrica: A cafeteira mói os grãos e prepara um café forte.
Café em grãos do Brasil: Grãos torrados para café e expresso.
Regador de dez litros: O regador serve para regar as flores do jardim.
Mangueira de jardim: Uma mangueira para a irrigação do gramado e das flores.
Cortador de grama: A máquina corta a grama do jardim sem fio.
Tesoura de poda: A tesoura corta galhos e arbustos do jardim.
Terra para vasos: Terra para plantas e flores na varanda.
Tênis de corrida feminino: Tênis leves para corrida na rua.
Tênis de corrida masculino: Tênis com amortecimento para a maratona.
Bota de caminhada: Botas fortes para caminhadas na montanha.
Bicicleta infantil: Uma bicicleta com campainha para crianças de seis anos.
Capacete de bicicleta: O capacete protege as crianças na bicicleta.
Cadeado de bicicleta: Um cadeado de aço contra o roubo de bicicletas.
Chaleira de vidro: A chaleira aquece a água do chá em dois minutos.
Bule de porcelana: Um bule para chá verde e chá preto.
Iluminação de jardim: Luminárias para a iluminação de caminhos.
Decoração de parede: Quadros e espelhos para a decoração da sala.
Roupa de cama de algodão: Capas macias para edredons e travesseiros.
Travesseiro de pluma: O travesseiro apoia a cabeça na cama.
Copo d'água: Um copo de vidro para água e suco.
Mesa ajustável: Uma mesa para trabalhar em pé ou sentado.
Cadeira de escritório: Uma cadeira com braços para o escritório.
"""
_JAPANESE = """
全自動コーヒーメーカー: 豆を挽いて濃いコーヒーをいれます。
ブラジル産コーヒー豆: 焙煎したコーヒー豆です。エスプレッソにも合います。
コーヒーカップ: 磁器のカップでコーヒーを楽しめます。
ガーデンホース: 庭の芝生や花に水をやるホースです。
じょうろ: 庭の花に水をやります。
芝刈り機: 庭の芝生をコードなしで刈ります。
剪定ばさみ: 庭の木の枝を切るはさみです。
培養土: ベランダの花や植物のための土です。
ランニングシューズ レディース: 道路を走るための軽い靴です。
ランニングシューズ メンズ: マラソンを走るための靴です。
登山靴: 山を歩くための丈夫な靴です。
子供用自転車: ベルのついた子供の自転車です。
自転車ヘルメット: 自転車に乗る子供を守ります。
自転車の鍵: 自転車の盗難を防ぐ鋼の鍵です。
電気ケトル: お茶のお湯を二分で沸かします。
急須: 緑茶をいれる磁器の急須です。
緑茶: 日本の緑茶の茶葉です。
綿のシーツ: 布団と枕のための柔らかいシーツです。
枕: 頭を支える枕です。
羊毛の毛布: 寒い日のための暖かい毛布です。
昇降デスク: 座っても立っても働ける机です。
オフィスチェア: 机のための肘掛けつきの椅子です。
"""
_THAI = """
เครื่องชงกาแฟ: เครื่องบดเมล็ดและชงกาแฟเข้ม
เมล็ดกาแฟคั่ว: เมล็ดกาแฟจากบราซิลสำหรับชงกาแฟ
แก้วกาแฟ: แก้วเซรามิกสำหรับดื่มกาแฟ
สายยางรดน้ำ: สายยางสำหรับรดน้ำดอกไม้ในสวน
บัวรดน้ำ: ใช้รดน้ำดอกไม้และต้นไม้ในสวน
เครื่องตัดหญ้า: ตัดหญ้าในสวนโดยไม่ใช้สายไฟ
กรรไกรตัดกิ่ง: กรรไกรสำหรับตัดกิ่งไม้ในสวน
ดินปลูกต้นไม้: ดินสำหรับต้นไม้และดอกไม้
รองเท้าวิ่งผู้หญิง: รองเท้าเบาสำหรับวิ่งบนถนน
รองเท้าวิ่งผู้ชาย: รองเท้านุ่มสำหรับวิ่งมาราธอน
รองเท้าเดินป่า: รองเท้าแข็งแรงสำหรับเดินบนภูเขา
จักรยานเด็ก: จักรยานมีกระดิ่งสำหรับเด็ก
หมวกกันน็อกจักรยาน: หมวกป้องกันศีรษะของเด็ก
กุญแจล็อกจักรยาน: กุญแจเหล็กป้องกันขโมยจักรยาน
กาต้มน้ำไฟฟ้า: ต้มน้ำสำหรับชาในสองนาที
กาน้ำชา: กาเซรามิกสำหรับชาเขียว
ชาเขียวญี่ปุ่น: ใบชาเขียวจากญี่ปุ่น
ผ้าปูที่นอน: ผ้าฝ้ายนุ่มสำหรับเตียงนอน
หมอนหนุน: หมอนรองศีรษะบนเตียงนอน
ผ้าห่มขนแกะ: ผ้าห่มอุ่นสำหรับวันหนาว
"""
_CHINESE = """
全自动咖啡机: 研磨咖啡豆并煮出浓咖啡。
巴西咖啡豆: 烘焙的咖啡豆,也适合意式浓缩。
咖啡杯: 用来喝咖啡的陶瓷杯。
花园水管: 用来给花园的草坪和花浇水。
洒水壶: 给花园里的花浇水。
割草机: 不用电线修剪花园的草坪。
女式跑步鞋: 在路上跑步的轻便鞋。
男式跑步鞋: 适合马拉松的跑步鞋。
登山鞋: 在山里行走的结实的鞋。
儿童自行车: 带铃铛的儿童自行车。
自行车头盔: 保护骑自行车的儿童。
自行车锁: 防止自行车被盗的钢锁。
玻璃电水壶: 两分钟烧开泡茶的水。
瓷茶壶: 泡绿茶和红茶的茶壶。
日本绿茶: 放在茶壶里的茶叶。
纯棉床单: 柔软的床单和被套。
记忆枕头: 在床上支撑头部的枕头。
羊毛毯: 寒冷日子里的温暖毯子。
升降书桌: 坐着或站着工作的书桌。
办公椅: 带扶手的办公室椅子。
"""


def _documents(language: str, lines: str) -> list[Document]:
    entries = (line.split(": ", 1) for line in lines.strip().splitlines())
    return [Document(f"{language}-{number}", *entry) for number, entry in enumerate(entries)]


SHOPS = {
    code: _documents(code, lines)
    for code, lines in {
        "de": _GERMAN,
        "en": _ENGLISH,
        "fr": _FRENCH,
        "es": _SPANISH,
        "pt": _PORTUGUESE,
        "ja": _JAPANESE,
        "th": _THAI,
        "zh": _CHINESE,
    }.items()
}
SHOPS["de,en"] = [
    document
    for pair in zip(SHOPS["de"], [*SHOPS["en"], None, None], strict=True)
    for document in pair
    if document
]
